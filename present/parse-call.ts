import type { ClineMessage } from "../machines/message/message.ts";
import { descriptorVerb, parseDescriptor, type ToolDescriptor } from "../wire/descriptor.ts";
import type { Call, CallContent, TitlePart } from "./calls.ts";
import { parseMcpCall } from "./mcp-call.ts";

/** Parse the message of a tool call; undefined while its text is partial, and for a text of another form. */
export function parseCall({ ask, text }: Pick<ClineMessage, "ask" | "text">): Call | undefined {
  if (ask === "command") return commandCall(text ?? "");
  if (ask === "use_mcp_server") return parseMcpCall(text ?? "");
  const descriptor = parseDescriptor(text);
  return descriptor && describedCall(descriptor);
}

const commandCall = (command: string): Call => ({
  tool: "command",
  title: [{ kind: "value", text: command }],
  paths: [],
  content: { kind: "command", command },
});

function describedCall(descriptor: ToolDescriptor): Call {
  const { tool, path, batchFiles, diffStats, isOutsideWorkspace, isProtected, cut } = descriptor;
  return {
    tool,
    title: titleOf(descriptor),
    paths: batchFiles?.map((file) => file.path) ?? (path === undefined ? [] : [path]),
    content: contentOf(descriptor),
    ...(diffStats !== undefined && { stats: diffStats }),
    isOutsideWorkspace,
    isProtected,
    isCut: cut,
  };
}

function titleOf(descriptor: ToolDescriptor): readonly TitlePart[] {
  const { tool, path, batchFiles, query, skill, artifact, id, action } = descriptor;
  const { host, url, regex, filePattern, mode, reason } = descriptor;
  const name = tool === "newTask" && typeof descriptor.name === "string" ? descriptor.name : undefined;
  const value = (text: string | undefined, word?: string): readonly TitlePart[] =>
    text === undefined ? [] : [{ kind: "value", text, ...(word !== undefined && { word }) }];
  return [
    { kind: "verb", text: descriptorVerb(descriptor) },
    ...value(path),
    ...value(query === undefined ? undefined : `'${query}'`, "for"),
    ...value(batchFiles === undefined ? undefined : `${batchFiles.length} files`),
    ...[skill, artifact, id, action, name].flatMap((text) => value(text)),
    ...value(host === undefined ? undefined : `${host}:`),
    ...value(url),
    ...value(regex === undefined ? undefined : `/${regex}/`, "for"),
    ...value(filePattern, tool === "globFiles" ? "for" : "in"),
    ...value(mode, tool === "switchMode" ? "mode" : "in mode"),
    ...(reason === undefined ? [] : [{ kind: "note", text: `(${reason})` } as const]),
  ];
}

function contentOf(descriptor: ToolDescriptor): CallContent {
  const { tool, content = "", diff, todos, batchFiles } = descriptor;
  if (tool === "readFile" && batchFiles !== undefined) {
    const files = batchFiles.map(({ path, lineSnippet: lines = "" }) => ({ path, lines }));
    return { kind: "files", files };
  }
  switch (tool) {
    case "readFile":
    case "listFilesTopLevel":
    case "listFilesRecursive":
    case "searchFiles":
    case "globFiles":
    case "codebaseSearch":
    case "skill":
    case "readArtifact":
    case "webFetch":
      return { kind: "none" };
    case "updateTodoList":
      return { kind: "plan", todos: typeof todos === "object" ? todos : [] };
    case "newTask":
      return {
        kind: "subtask",
        message: content,
        todos: typeof todos === "string" ? todos : "",
        given: givenIn(descriptor),
      };
  }
  if (tool === "newFileCreated" && diff === undefined) return { kind: "file", text: content };
  const { tool: _, ...fields } = descriptor;
  const text = diff ?? content;
  return text === "" ? { kind: "fields", fields } : { kind: "change", text };
}

/** The words before what a subtask is given, by the field of its descriptor. */
const GIVEN = {
  profile: "model",
  tools: "tools",
  permissions: "permissions",
  budget: "budget",
  result: "result",
  background: "in the background",
  isolation: "files",
};

/** A line for each argument of a subtask besides its work. */
const givenIn = (descriptor: ToolDescriptor): readonly string[] =>
  Object.entries(GIVEN).flatMap(([field, word]) => {
    const text = descriptor[field];
    return typeof text === "string" ? `${word}: ${text}` : [];
  });
