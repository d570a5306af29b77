import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { neverRuns } from "./asks.ts";

const MESSAGE_MAX_CHARS = 200_000;
const TODOS_MAX_CHARS = 50_000;
const MODE = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

const input = z.object({
  mode: z
    .string()
    .regex(MODE, "expected the slug of a mode, such as code, ask or architect")
    .describe("The slug of the mode that the subtask begins in, such as code, ask or architect."),
  message: z
    .string()
    .min(1)
    .max(MESSAGE_MAX_CHARS)
    .describe("What the subtask shall do, with all that it must know: it sees nothing of this conversation."),
  todos: z
    .string()
    .max(TODOS_MAX_CHARS)
    .nullish()
    .describe("Its first todo list, as a markdown checklist with one item a line."),
});

/** Does a piece of the work in a task of its own, and gives back that task's result. */
export const newTask = defineTool({
  name: "new_task",
  displayName: "Start a subtask",
  group: "always",
  effect: "delegates",
  replayable: false,
  ask: "tool",
  description:
    "Starts a subtask with a message of its own and waits for its result. It must be the last call of an answer: calls behind it are not executed.",
  input,
  partial: (raw) => {
    const message = textOf(raw, "message");
    if (message === undefined) return undefined;
    return descriptor({ mode: textOf(raw, "mode") ?? "", message }, PARTIAL_MAX_BYTES);
  },
  describe: (call) => descriptor(call),
  run: neverRuns("new_task", "delegates"),
});

type NewTaskCall = z.output<typeof input>;

function descriptor({ mode, message, todos }: NewTaskCall, maxBytes?: number): string {
  return boundedDescriptor({ tool: "newTask", mode, content: message, todos: todos ?? "" }, maxBytes);
}

/** What a call of new_task begins: the mode of the subtask and its first words. Undefined for arguments of another form. */
export function subtaskOf(call: unknown): { readonly mode: string; readonly prompt: string } | undefined {
  const parsed = input.safeParse(call);
  if (!parsed.success) return undefined;
  const { mode, message, todos } = parsed.data;
  const isPlanned = todos != null && todos.trim() !== "";
  return { mode, prompt: isPlanned ? `${message}\n\nTodo list:\n${todos}` : message };
}
