import { z } from "zod";
import { MODE_SLUG } from "../../machines/task/mode.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { neverRuns } from "./asks.ts";

const MESSAGE_MAX_CHARS = 200_000;
const TODOS_MAX_CHARS = 50_000;

const input = z.object({
  mode: z
    .string()
    .regex(MODE_SLUG, "expected the slug of a mode, such as code, ask or architect")
    .describe("The slug of the subtask's initial mode, such as code, ask or architect."),
  message: z
    .string()
    .min(1)
    .max(MESSAGE_MAX_CHARS)
    .describe("The subtask's work, with everything it must know: it does not see this conversation."),
  todos: z
    .string()
    .max(TODOS_MAX_CHARS)
    .nullish()
    .describe("Its first todo list, as a markdown checklist with one item a line."),
});

/** Delegates work to a subtask. */
export const newTask = defineTool({
  name: "new_task",
  displayName: "Start a subtask",
  group: "always",
  effect: "delegates",
  replayable: false,
  ask: "tool",
  description:
    "Starts a subtask with its own message and waits for its result. It must be the last call of a response: calls after it are not executed.",
  inputSchema: input,
  partial: (raw) => {
    const message = textOf(raw, "message");
    if (message === undefined) return undefined;
    return descriptor({ mode: textOf(raw, "mode") ?? "", message }, PARTIAL_MAX_BYTES);
  },
  describe: (call) => descriptor(call),
  execute: neverRuns("new_task", "done by a subtask"),
});

type NewTaskCall = z.output<typeof input>;

function descriptor({ mode, message, todos }: NewTaskCall, maxBytes?: number): string {
  return boundedDescriptor({ tool: "newTask", mode, content: message, todos: todos ?? "" }, maxBytes);
}

/** Mode and prompt of the subtask that a new_task call starts. Undefined if the arguments are invalid. */
export function subtaskOf(call: unknown): { readonly mode: string; readonly prompt: string } | undefined {
  const parsed = input.safeParse(call);
  if (!parsed.success) return undefined;
  const { mode, message, todos } = parsed.data;
  const hasTodos = todos != null && todos.trim() !== "";
  return { mode, prompt: hasTodos ? `${message}\n\nTodo list:\n${todos}` : message };
}
