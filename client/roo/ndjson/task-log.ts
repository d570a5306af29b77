import type { LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { isRequestOpen } from "../../../machines/message/request.ts";
import type { MessageEvents } from "./message-events.ts";

/** Reads a task's log event by event: the cost of a growth is independent of the message's length (L17). */
export class TaskLog {
  readonly #events: MessageEvents;
  readonly #onComplete: (message: ClineMessage) => void;
  /** The messages that may change. */
  readonly #open = new Map<number, ClineMessage>();

  /** @param onComplete Called with each complete message after its events were written */
  constructor(events: MessageEvents, onComplete: (message: ClineMessage) => void) {
    this.#events = events;
    this.#onComplete = onComplete;
  }

  apply(event: LogEvent): void {
    switch (event.type) {
      case "message.appended":
        this.read(event.message);
        break;
      case "message.grown":
        this.#grow(event.ts, event.text);
        break;
      case "message.amended": {
        const before = this.#open.get(event.ts);
        if (before !== undefined) this.read({ ...before, ...event.patch });
        break;
      }
      default:
        // Removed messages were written already; messages of a replaced log are not events of this task.
        this.#open.clear();
    }
  }

  /** Read a message as it is now. */
  read(message: ClineMessage): void {
    if (mayChange(message)) this.#open.set(message.ts, message);
    else this.#open.delete(message.ts);
    this.#events.update(message);
    if (message.partial !== true) this.#onComplete(message);
  }

  #grow(ts: number, suffix: string): void {
    const before = this.#open.get(ts);
    if (before === undefined) return;
    const message = { ...before, text: (before.text ?? "") + suffix };
    this.#open.set(ts, message);
    if (!this.#events.grow(ts, suffix, message)) this.#events.update(message);
  }
}

const mayChange = (message: ClineMessage): boolean =>
  message.partial === true ||
  isRequestOpen(message) ||
  (message.ask === "command_output" && message.closing === undefined);

/** A log that is read from its end. */
interface ReadableLog {
  readonly length: number;
  at(position: number): ClineMessage | undefined;
}

/**
 * The position of the first message that reopening a task appended before its resume ask: uncertain calls and outcomes of
 * subtasks (L12). Without such an ask, the length of the log.
 */
export function openedAt(log: ReadableLog): number {
  if (log.at(log.length - 1)?.ask !== "resume_task") return log.length;
  let first = log.length - 1;
  while (first > 0 && isOfRecovery(log.at(first - 1))) first -= 1;
  return first;
}

const isOfRecovery = (message: ClineMessage | undefined): boolean =>
  message?.say === "error" || message?.say === "subtask_result";
