import path from "node:path";
import type {
  ToolCall,
  ToolCallContent,
  ToolCallLocation,
  ToolKind,
} from "@agentclientprotocol/sdk/unstable";
import { printable } from "../../client/printable/printable.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import { callLines, callTitle } from "../../present/call-text.ts";
import type { Call } from "../../present/calls.ts";
import { parseCall } from "../../present/parse-call.ts";
import { type Hunk, parseHunks } from "./diff-hunks.ts";

/** The fields of a tool call, from its message. */
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
  ["mergeSubtask", "edit"],
  ["declineSubtask", "delete"],
  ["subtaskState", "read"],
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
  const call = parseCall(message);
  if (call !== undefined) return fieldsOf(call, workspace, isPartial);
  return isPartial ? undefined : textFields(text, "other");
}

/** Who approves a text must see all of it, where the title has only its first line. */
function textFields(text: string, kind: ToolKind): CallFields {
  const title = titleOf(text);
  return { title, kind, content: title === printable(text.trim()) ? [] : textContent(text), locations: [] };
}

/** A partial call has no content: it would be sent again with each part of its arguments. */
function fieldsOf(call: Call, workspace: string, isPartial: boolean): CallFields {
  const { content } = call;
  if (content.kind === "command") return textFields(content.command, "execute");
  const kind = KINDS.get(call.tool) ?? "other";
  const files = call.paths.map((file) => path.resolve(workspace, file));
  const hunks = kind === "edit" && content.kind === "change" ? parseHunks(content.text) : [];
  const line = hunks[0]?.line;
  const locations: ToolCallLocation[] = files.map((file) => ({
    path: file,
    ...(line !== undefined && { line }),
  }));
  const body = isPartial ? [] : contentOf(call, hunks, files[0]);
  return { title: titleOf(callTitle(call)), kind, content: body, locations };
}

function contentOf(call: Call, hunks: readonly Hunk[], file: string | undefined): ToolCallContent[] {
  const { content } = call;
  switch (content.kind) {
    case "file":
      if (file === undefined) return textContent(content.text);
      return [{ type: "diff", path: file, oldText: null, newText: content.text }];
    case "change":
      // The patch of several files is shown as it is.
      if (file === undefined || hunks.length === 0 || content.text.startsWith("--- "))
        return textContent(content.text);
      return hunks.map(({ oldText, newText }) => ({ type: "diff", path: file, oldText, newText }));
    case "subtask":
    case "arguments":
      return textContent(callLines(call).join("\n"));
    default:
      return [];
  }
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
