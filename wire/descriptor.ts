import * as z from "zod/mini";
import { parseJson } from "../machines/message/json.ts";

const text = z.optional(z.string());
const flag = z.optional(z.boolean());
const todoSchema = z.looseObject({ content: z.string(), status: z.string() });

const descriptorSchema = z.looseObject({
  tool: z.string(),
  path: text,
  content: text,
  diff: text,
  regex: text,
  filePattern: text,
  query: text,
  reason: text,
  mode: text,
  skill: text,
  artifact: text,
  host: text,
  url: text,
  action: text,
  id: text,
  isOutsideWorkspace: flag,
  isProtected: flag,
  diffStats: z.optional(z.object({ added: z.number(), removed: z.number() })),
  todos: z.optional(z.union([z.string(), z.array(todoSchema)])),
  batchFiles: z.optional(z.array(z.looseObject({ path: z.string(), lineSnippet: text }))),
  /** Whether its lists were shortened when it was recorded. */
  cut: flag,
});

/** Description of a tool call: the text of a `tool` message. */
export type ToolDescriptor = z.output<typeof descriptorSchema>;
/** An item of a todo list. */
export type Todo = z.output<typeof todoSchema>;

/** Parse the text of a `tool` message; `undefined` while it is partial, and for a text of another form. */
export function parseDescriptor(text: string | null | undefined): ToolDescriptor | undefined {
  return descriptorSchema.safeParse(parseJson(text ?? "")).data;
}

const questionSchema = z.object({
  question: z.string(),
  suggest: z._default(z.array(z.object({ answer: z.string(), mode: z.catch(text, undefined) })), []),
});

/** Parse the text of a `followup` ask: JSON `{question, suggest: [{answer, mode}]}`; else the text is the question. */
export function parseQuestion(text: string): Question {
  const { question, suggest } = questionSchema.safeParse(parseJson(text)).data ?? {
    question: text,
    suggest: [],
  };
  return {
    question,
    suggest: suggest.map(({ answer, mode }) => (mode === undefined ? { answer } : { answer, mode })),
  };
}

/** A question of the model. */
export interface Question {
  readonly question: string;
  readonly suggest: readonly Suggestion[];
}

/** An answer that the model suggests. */
export interface Suggestion {
  readonly answer: string;
  /** The slug of the mode that the answer switches to. */
  readonly mode?: string;
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ["readFile", "Read"],
  ["listFilesTopLevel", "List"],
  ["listFilesRecursive", "List all in"],
  ["searchFiles", "Search"],
  ["globFiles", "Find files in"],
  ["codebaseSearch", "Search the code in"],
  ["newFileCreated", "New file"],
  ["editedExistingFile", "Overwrite"],
  ["appliedDiff", "Edit"],
  ["updateTodoList", "Plan"],
  ["skill", "Read the skill"],
  ["readArtifact", "Read again the result of"],
  ["webFetch", "Fetch from"],
  ["browserAction", "Browser:"],
  ["commandOutput", "Read the output of command"],
  ["stopCommand", "Terminate command"],
  ["newTask", "Start a subtask"],
  ["mergeSubtask", "Merge the files of subtask"],
  ["declineSubtask", "Remove the files of subtask"],
  ["waitForSubtasks", "Wait for subtasks"],
  ["cancelSubtask", "Cancel subtask"],
  ["messageSubtask", "Message subtask"],
  ["subtaskState", "Read the state of subtasks"],
  ["finishTask", "Finish the subtask"],
  ["switchMode", "Switch to"],
  ["selectActiveIntent", "Select the intent"],
  ["generateImage", "Generate an image"],
]);

/** Label of what a tool call does, in a word or two. */
export const descriptorVerb = ({ tool }: ToolDescriptor): string => VERBS.get(tool) ?? `Tool ${tool}`;
