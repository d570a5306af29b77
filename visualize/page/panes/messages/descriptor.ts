import { z } from "zod";
import { jsonOf } from "../../text/index.ts";

const todo = z.looseObject({ content: z.string(), status: z.string() });

const descriptorSchema = z.looseObject({
  tool: z.string(),
  path: z.string().optional(),
  content: z.string().optional(),
  diff: z.string().optional(),
  regex: z.string().optional(),
  filePattern: z.string().optional(),
  query: z.string().optional(),
  reason: z.string().optional(),
  mode: z.string().optional(),
  isOutsideWorkspace: z.boolean().optional(),
  isProtected: z.boolean().optional(),
  diffStats: z.object({ added: z.number(), removed: z.number() }).optional(),
  todos: z.union([z.string(), z.array(todo)]).optional(),
  cut: z.boolean().optional(),
});

/** What a tool's row says of its call. */
export type CallDescriptor = z.output<typeof descriptorSchema>;
export type Todo = z.output<typeof todo>;

/** What a tool's row says of its call; `undefined` for a row of another form. */
export function descriptorOf(text: string): CallDescriptor | undefined {
  const parsed = descriptorSchema.safeParse(jsonOf(text));
  return parsed.success ? parsed.data : undefined;
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ["readFile", "Read"],
  ["listFilesTopLevel", "List"],
  ["listFilesRecursive", "List all in"],
  ["searchFiles", "Search in"],
  ["codebaseSearch", "Search the code for"],
  ["newFileCreated", "Make"],
  ["editedExistingFile", "Overwrite"],
  ["appliedDiff", "Edit"],
  ["updateTodoList", "Plan"],
  ["newTask", "Start a subtask"],
  ["finishTask", "End the subtask"],
  ["switchMode", "Switch the mode"],
  ["generateImage", "Make an image"],
]);

/** What the call would do, in a word or two. */
export const verbOf = ({ tool }: CallDescriptor): string => VERBS.get(tool) ?? tool;

const question = z.looseObject({
  question: z.string(),
  suggest: z.array(z.looseObject({ answer: z.string(), mode: z.string().nullish() })).default([]),
});

/** A question with its suggested answers; while it is being written, its words alone. */
export function questionOf(text: string): z.output<typeof question> {
  const parsed = question.safeParse(jsonOf(text));
  return parsed.success ? parsed.data : { question: text, suggest: [] };
}

const mcp = z.looseObject({
  type: z.string().optional(),
  serverName: z.string(),
  toolName: z.string().optional(),
  uri: z.string().optional(),
  arguments: z.unknown().optional(),
});

/** What is asked of which MCP server; `undefined` for a row of another form. */
export function mcpCallOf(text: string): z.output<typeof mcp> | undefined {
  const parsed = mcp.safeParse(jsonOf(text));
  return parsed.success ? parsed.data : undefined;
}
