import { z } from "zod";

const Descriptor = z.looseObject({
  tool: z.string(),
  path: z.string().optional(),
  content: z.string().optional(),
  diff: z.string().optional(),
  regex: z.string().optional(),
  filePattern: z.string().optional(),
  reason: z.string().optional(),
  isOutsideWorkspace: z.boolean().optional(),
  diffStats: z.object({ added: z.number(), removed: z.number() }).optional(),
  mode: z.string().optional(),
  todos: z
    .union([z.string(), z.array(z.looseObject({ content: z.string(), status: z.string() }))])
    .optional(),
});
export type ShownDescriptor = z.output<typeof Descriptor>;

/** What a tool's row says of its call; undefined while it says nothing, and for a row of another form. */
export function descriptorOf(text: string | null | undefined): ShownDescriptor | undefined {
  const parsed = Descriptor.safeParse(jsonOf(text ?? ""));
  return parsed.success ? parsed.data : undefined;
}

const VERBS: Readonly<Record<string, string>> = {
  readFile: "Read",
  listFilesTopLevel: "List",
  listFilesRecursive: "List all in",
  searchFiles: "Search",
  newFileCreated: "New file",
  editedExistingFile: "Overwrite",
  appliedDiff: "Edit",
  updateTodoList: "Plan",
  newTask: "Start a subtask",
};

/** One line that says what the call does. */
export function titleOf(descriptor: ShownDescriptor): string {
  const { tool, path, regex, filePattern, mode, reason, diffStats } = descriptor;
  const verb = VERBS[tool] ?? `Tool ${tool}`;
  return [
    path === undefined ? verb : `${verb} ${path}`,
    ...(regex === undefined ? [] : [`for /${regex}/`]),
    ...(filePattern === undefined ? [] : [`in ${filePattern}`]),
    ...(mode === undefined ? [] : [`in mode ${mode}`]),
    ...(reason === undefined ? [] : [`(${reason})`]),
    ...(diffStats === undefined ? [] : [`(+${diffStats.added} -${diffStats.removed})`]),
  ].join(" ");
}

const MARKS: Readonly<Record<string, string>> = { completed: "[x]", in_progress: "[-]" };

/** What the call would change or send, in lines. What only reads has none: its title says all. */
export function bodyOf(descriptor: ShownDescriptor): readonly string[] {
  const { tool, content, diff, todos } = descriptor;
  switch (tool) {
    case "readFile":
    case "listFilesTopLevel":
    case "listFilesRecursive":
    case "searchFiles":
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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
