import path from "node:path";
import type {
  ToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolKind,
} from "@agentclientprotocol/sdk/unstable";
import { printable } from "../../client/printable/printable.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { parseDescriptor, type ToolDescriptor } from "../../wire/descriptor.ts";
import { formatToolTitle } from "../show/descriptor.ts";
import { parseHunks } from "./diff-hunks.ts";

/** What the message of a tool call says about it. */
export type CallFields = Required<Pick<ToolCall, "title" | "kind" | "content" | "locations">>;

/** Maximum characters of a title. */
const TITLE_CHARS_MAX = 200;

const KINDS: ReadonlyMap<string, ToolKind> = new Map([
  ["readFile", "read"],
  ["skill", "read"],
  ["readArtifact", "read"],
  ["commandOutput", "read"],
  ["listFilesTopLevel", "search"],
  ["listFilesRecursive", "search"],
  ["searchFiles", "search"],
  ["globFiles", "search"],
  ["codebaseSearch", "search"],
  ["newFileCreated", "edit"],
  ["editedExistingFile", "edit"],
  ["appliedDiff", "edit"],
  ["webFetch", "fetch"],
  ["updateTodoList", "think"],
  ["switchMode", "switch_mode"],
  ["stopCommand", "execute"],
]);

/**
 * The fields of a tool call, from the message that asks about it. Undefined while its arguments don't say anything yet.
 *
 * @param workspace the absolute path that relative ones are resolved against
 */
export function callFields(message: ClineMessage, workspace: string): CallFields | undefined {
  const text = message.text ?? "";
  const isPartial = message.partial === true;
  if (isPartial && text === "") return undefined;
  if (message.ask === "command") return textFields(text, "execute");
  const descriptor = parseDescriptor(text);
  if (descriptor !== undefined) return descriptorFields(descriptor, workspace, isPartial);
  return isPartial ? undefined : textFields(text, "other");
}

/** Who approves a text must see all of it, where the title has only its first line. */
function textFields(text: string, kind: ToolKind): CallFields {
  const title = titleOf(text);
  return { title, kind, content: title === printable(text.trim()) ? [] : textContent(text), locations: [] };
}

/** A partial call has no content: it would be sent again with each part of its arguments. */
function descriptorFields(descriptor: ToolDescriptor, workspace: string, isPartial: boolean): CallFields {
  const kind = KINDS.get(descriptor.tool) ?? "other";
  const files = filesOf(descriptor).map((file) => path.resolve(workspace, file));
  const content = isPartial ? [] : contentOf(descriptor, kind, files[0]);
  const line = kind === "edit" ? parseHunks(changeIn(descriptor))[0]?.line : undefined;
  const locations: ToolCallLocation[] = files.map((file) => ({
    path: file,
    ...(line !== undefined && { line }),
  }));
  return { title: titleOf(formatToolTitle(descriptor)), kind, content, locations };
}

const filesOf = ({ path: file, batchFiles }: ToolDescriptor): readonly string[] =>
  batchFiles?.map((each) => each.path) ?? (file === undefined ? [] : [file]);

const changeIn = ({ diff, content }: ToolDescriptor): string => diff ?? content ?? "";

function contentOf(descriptor: ToolDescriptor, kind: ToolKind, file: string | undefined): ToolCallContent[] {
  const change = changeIn(descriptor);
  if (kind === "edit" && file !== undefined) {
    if (descriptor.tool === "newFileCreated")
      return [{ type: "diff", path: file, oldText: null, newText: change }];
    const hunks = parseHunks(change);
    // The patch of several files is shown as it is.
    if (hunks.length > 0 && !change.startsWith("--- "))
      return hunks.map(({ oldText, newText }) => ({ type: "diff", path: file, oldText, newText }));
    return textContent(change);
  }
  return descriptor.tool === "newTask" ? textContent(change) : [];
}

/** A text as the content of a tool call. Invisible characters are escaped: they could hide a part of it. */
export const textContent = (text: string): ToolCallContent[] =>
  text === "" ? [] : [{ type: "content", content: { type: "text", text: printable(text) } }];

/** The first line, in which nothing can be hidden. */
function titleOf(text: string): string {
  const [first = "", ...others] = printable(text.trim()).split("\n");
  return others.length === 0 && first.length <= TITLE_CHARS_MAX
    ? first
    : `${first.slice(0, TITLE_CHARS_MAX).toWellFormed()} ...`;
}
