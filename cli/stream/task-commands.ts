import { filter, firstValueFrom } from "rxjs";
import type { Answer } from "../../machines/message/asks.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Ask } from "../../runtime/task/ask.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { StdinCommandOf } from "../../wire/ndjson/command.ts";
import { errorMessage } from "../error.ts";
import type { ControlEvents } from "./control-events.ts";

/** A command that answers the ask it names. */
export type AnswerCommand =
  | StdinCommandOf<"approve" | "reject" | "continue" | "abort">
  | (StdinCommandOf<"message"> & { readonly askId: number });

/** The reason why this command can't answer this ask; undefined if it can. */
export function mismatchOf(command: AnswerCommand["command"], { id, type }: Ask): string | undefined {
  const isAboutOutput = type === "command_output";
  const isForOutput = command === "continue" || command === "abort";
  if (isAboutOutput === isForOutput) return undefined;
  const fitting = isAboutOutput ? "continue or abort" : "approve, reject or a message";
  return `ask ${id} (${type}) takes ${fitting}, not ${command}`;
}

/** The answer of a command. */
export function toAnswer(command: AnswerCommand): Answer {
  if (command.command === "message") {
    const { prompt: text, images, mode } = command;
    return { kind: "text", text, ...(images && { images }), ...(mode !== undefined && { mode }) };
  }
  switch (command.command) {
    case "continue":
      return { kind: "yes" };
    case "abort":
      return { kind: "no" };
    case "approve":
      return {
        kind: "yes",
        ...feedbackIn(command),
        ...(command.rule !== undefined && { rule: command.rule }),
        ...(command.amendment !== undefined && { amendment: command.amendment }),
      };
    case "reject":
      return { kind: "no", ...feedbackIn(command) };
  }
}

const feedbackIn = ({ prompt, images }: StdinCommandOf<"approve" | "reject">) => ({
  ...(prompt !== undefined && { text: prompt }),
  ...(images !== undefined && { images }),
});

/** The open ask of the task, or the next one that opens within `ms`. */
export async function waitForAsk(task: Task, ms: number, clock: Clock): Promise<Ask | undefined> {
  return task.asks.at(-1) ?? within(ms, firstValueFrom(task.asks$.pipe(filter(isBlocking))), clock);
}

const isBlocking = ({ kind }: Ask): boolean => kind !== "command_output";

/** The value, or undefined if it doesn't come in time. */
function within<T>(ms: number, value: Promise<T>, clock: Clock): Promise<T | undefined> {
  return new Promise((resolve) => {
    const forget = clock.after(ms, () => resolve(undefined));
    const settle = (result: T | undefined): void => {
      forget();
      resolve(result);
    };
    value.then(settle, () => settle(undefined));
  });
}

/** Code and text of the last control event of a command. */
const DONE = {
  mode: ["switched", "mode switched"],
  permissions: ["changed", "permissions changed"],
  edit: ["edited", "message edited"],
  compact: ["compacting", "the next request condenses the conversation"],
} as const;

const HELD = ["held", "the change of the permissions applies when the open ask is closed"] as const;

interface Changed {
  readonly refusal?: { readonly code: string; readonly message: string } | undefined;
  /** Whether it applies only when the open ask is closed. */
  readonly isHeld?: boolean;
}

/** Change a task: its mode, what is permitted, a queued message or its conversation. Emits the control events. */
export function applyChange(
  command: StdinCommandOf<keyof typeof DONE>,
  task: Task,
  control: ControlEvents,
): void {
  try {
    const { refusal, isHeld } = change(command, task);
    if (refusal !== undefined) {
      control.error(command, refusal.code.toLowerCase(), refusal.message);
      return;
    }
    control.ack(command, `${command.command} accepted`, task.id);
    const [code, content] = isHeld === true ? HELD : DONE[command.command];
    control.done(command, code, content);
  } catch (error) {
    control.error(command, `${command.command}_refused`, errorMessage(error));
  }
}

function change(command: StdinCommandOf<keyof typeof DONE>, task: Task): Changed {
  if (command.command === "permissions") return changePermissions(command, task);
  if (command.command === "mode") return { refusal: switchMode(command, task) };
  return { refusal: command.command === "edit" ? edit(command, task) : compact(command, task) };
}

function compact({ prompt }: StdinCommandOf<"compact">, task: Task) {
  const result = task.compact(prompt);
  return result.ok ? undefined : result;
}

function switchMode({ mode }: StdinCommandOf<"mode">, task: Task) {
  const result = task.switchMode(mode);
  return result.ok ? undefined : result;
}

function changePermissions({ mode, rules }: StdinCommandOf<"permissions">, task: Task): Changed {
  const result = task.changePermissions({ ...(mode && { level: mode }), ...(rules && { rules }) });
  return result.ok ? { isHeld: result.held === true } : { refusal: result };
}

function edit({ id, prompt, images }: StdinCommandOf<"edit">, task: Task) {
  const result = task.editQueued(id, prompt, images);
  return result.ok ? undefined : result;
}
