import type { AnswerRefusal } from "../../actors/ask/open-asks.ts";
import { type CommandFault, type InboxCommand, parseInboxCommand } from "../../wire/inbox.ts";
import type { HostErrorCode } from "../task/errors.ts";
import { continuation } from "../task/run.ts";
import type { PauseResult, QueueResult, Task } from "../task/task.ts";
import { isAtRest } from "../task/task-end.ts";

type CodeOf<T> = T extends { readonly ok: false; readonly code: infer C } ? C : never;

/** A command that changed nothing, and the reason. */
export interface CommandRefusal {
  readonly ok: false;
  readonly code: CommandFault | AnswerRefusal | CodeOf<QueueResult> | CodeOf<PauseResult> | HostErrorCode;
  readonly message: string;
}

export type CommandResult = { readonly ok: true } | CommandRefusal;

type Command<K extends InboxCommand["kind"]> = Extract<InboxCommand, { readonly kind: K }>;

/**
 * Apply a command to an open task whose commits are written, by at most one event to the task itself.
 *
 * @throws HostError `TASK_CLOSED`, `TASK_BROKEN` @throws JournalError where a passive task can't be activated
 */
export function applyCommand(task: Task, json: unknown): CommandResult {
  const parsed = parseInboxCommand(json);
  if (!parsed.ok) return parsed;
  try {
    return apply(task, parsed.command);
  } catch (error) {
    // The text or an image exceeds a limit of this task.
    if (error instanceof Error && "code" in error && error.code === "OPTION_INVALID")
      return { ok: false, code: "OPTION_INVALID", message: error.message };
    throw error;
  }
}

function apply(task: Task, command: InboxCommand): CommandResult {
  switch (command.kind) {
    case "start":
      return start(task, command);
    case "answer":
      return task.answer(command.askId, command.answer);
    case "message":
      return isAtRest(task.snapshot.value)
        ? continueOrQueue(task, command)
        : task.queue(command.text, command.images);
    case "continue":
      return continueAtRest(task, command) ?? busy(task);
    case "pause":
      return task.pause();
    case "cancel":
      task.cancel();
      return { ok: true };
  }
}

function start(task: Task, { prompt, images }: Command<"start">): CommandResult {
  if (task.snapshot.value !== "no_task")
    return {
      ok: false,
      code: "TASK_EXISTS",
      message: `Task ${task.id} has started before. Send it a message.`,
    };
  task.start(prompt, images);
  return { ok: true };
}

/** Answer the ask of a task at rest. Undefined if the task works, or its ask takes no text. */
function continueAtRest(
  task: Task,
  { text, images }: Command<"message" | "continue">,
): CommandResult | undefined {
  const ask = isAtRest(task.snapshot.value) ? task.asks.at(-1) : undefined;
  const answer = ask && continuation(ask.type, ask.accepts, { text, images });
  return ask && answer && task.answer(ask.id, answer);
}

const continueOrQueue = (task: Task, message: Command<"message">): CommandResult =>
  continueAtRest(task, message) ?? task.queue(message.text, message.images);

const busy = ({ id, state: { state } }: Task): CommandResult => ({
  ok: false,
  code: "TASK_BUSY",
  message: `Task ${id} is ${state}: it can't be continued. Wait until it settles, or send a message.`,
});
