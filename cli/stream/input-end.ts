import type { Clock } from "../../ports/clock.ts";
import type { Task } from "../../runtime/task/task.ts";
import { EXIT } from "../error.ts";
import type { Leave } from "../run/settings.ts";
import { isDelivering } from "./stream-task.ts";

export interface InputEndOptions {
  readonly clock: Clock;
  /** The time that another client has to answer, in ms. */
  readonly waitMs: number;
  readonly leave: Leave;
  /** End the session with an error. */
  readonly fail: (message: string) => void;
}

/** Decides when a session ends after its input has ended. */
export class InputEnd {
  readonly #parts: InputEndOptions;
  #hasCome = false;
  /** The ask that may stay unanswered. */
  #waiting: { readonly ask: number; readonly forget: () => void } | undefined;

  constructor(parts: InputEndOptions) {
    this.#parts = parts;
  }

  get hasEnded(): boolean {
    return this.#hasCome;
  }

  /** The input has ended. */
  markEnded(): void {
    this.#hasCome = true;
  }

  /** @param task the task in focus, if any; `isStarting`: its `start` command has not ended */
  check(task: Task | undefined, isStarting: boolean): void {
    if (!this.#hasCome) return;
    if (task === undefined) {
      this.#parts.leave(EXIT.done);
      return;
    }
    const { currentAsk, lastMessageTs: ask = 0 } = task.state;
    const isWaitingForInput = task.state.isWaitingForInput && !isDelivering(task);
    if (!isWaitingForInput || this.#waiting?.ask !== ask) this.forget();
    if (!isWaitingForInput || this.#waiting !== undefined) return;
    const isOver = currentAsk === "completion_result" || currentAsk === "resume_completed_task";
    if (isOver && !isStarting && task.snapshot.context.queue.length === 0) this.#parts.leave(EXIT.done);
    else this.#waitFor(ask, `stdin ended while task was waiting for input (${currentAsk})`);
  }

  forget(): void {
    this.#waiting?.forget();
    this.#waiting = undefined;
  }

  #waitFor(ask: number, message: string): void {
    const { clock, waitMs, fail } = this.#parts;
    this.#waiting = { ask, forget: clock.after(waitMs, () => fail(message)) };
  }
}
