import { descriptorVerb, type ToolDescriptor } from "../../wire/descriptor.ts";

/** Format a tool call in one line. */
export function formatToolTitle(descriptor: ToolDescriptor): string {
  const {
    tool,
    path,
    batchFiles,
    query,
    skill,
    artifact,
    id,
    action,
    host,
    url,
    regex,
    filePattern,
    mode,
    reason,
    diffStats,
  } = descriptor;
  const verb = descriptorVerb(descriptor);
  return [
    path === undefined ? verb : `${verb} ${path}`,
    ...(query === undefined ? [] : [`for '${query}'`]),
    ...(batchFiles === undefined ? [] : [`${batchFiles.length} files`]),
    ...(skill === undefined ? [] : [skill]),
    ...(artifact === undefined ? [] : [artifact]),
    ...(id === undefined ? [] : [id]),
    ...(action === undefined ? [] : [action]),
    ...(host === undefined ? [] : [`${host}:`]),
    ...(url === undefined ? [] : [url]),
    ...(regex === undefined ? [] : [`for /${regex}/`]),
    ...(filePattern === undefined ? [] : [tool === "globFiles" ? `for ${filePattern}` : `in ${filePattern}`]),
    ...(mode === undefined ? [] : [tool === "switchMode" ? `mode ${mode}` : `in mode ${mode}`]),
    ...(reason === undefined ? [] : [`(${reason})`]),
    ...(diffStats === undefined ? [] : [`(+${diffStats.added} -${diffStats.removed})`]),
  ].join(" ");
}

const MARKS: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[-]" };

/** Format what a tool call would change or send, in lines; none for a call that only reads. */
export function formatToolBody(descriptor: ToolDescriptor): readonly string[] {
  const { tool, content, diff, todos, batchFiles = [] } = descriptor;
  switch (tool) {
    case "readFile":
      return batchFiles.map(({ path, lineSnippet = "" }) =>
        lineSnippet === "" ? path : `${path} (${lineSnippet})`,
      );
    case "listFilesTopLevel":
    case "listFilesRecursive":
    case "searchFiles":
    case "globFiles":
    case "codebaseSearch":
    case "skill":
    case "readArtifact":
    case "webFetch":
      return [];
    case "updateTodoList":
      return (typeof todos === "object" ? todos : []).map(
        (todo) => `${MARKS[todo.status] ?? "[ ]"} ${todo.content}`,
      );
    case "newTask":
      return [...linesOf(content), ...(typeof todos === "string" ? linesOf(todos) : [])];
    case "newFileCreated":
      return linesOf(content).map((line) => `+${line}`);
    default:
      return linesOf(diff ?? content);
  }
}

function linesOf(text: string | undefined): readonly string[] {
  return text === undefined || text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
