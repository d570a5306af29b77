import type { Clock } from "../../actors/index.ts";
import type { Task } from "../../runtime/index.ts";
import { EXIT } from "../exit-code.ts";
import type { Leave } from "../run/index.ts";

export interface InputEndParts {
  readonly clock: Clock;
  /** How long somebody else may answer, in ms. */
  readonly waitMs: number;
  readonly leave: Leave;
  /** Ends the session with these words. */
  readonly fail: (message: string) => void;
}

/** Once the input has ended: whether there is anything left to wait for. */
export class InputEnd {
  readonly #parts: InputEndParts;
  #hasCome = false;
  /** The ask that nobody may answer any more. */
  #waiting: { readonly ask: number; readonly forget: () => void } | undefined;

  constructor(parts: InputEndParts) {
    this.#parts = parts;
  }

  get hasCome(): boolean {
    return this.#hasCome;
  }

  /** Nothing more will come on the input. */
  come(): void {
    this.#hasCome = true;
  }

  /** @param task that a client deals with now, if there is one; `isStarting`: its start has had no end yet */
  look(task: Task | undefined, isStarting: boolean): void {
    if (!this.#hasCome) return;
    if (task === undefined) {
      this.#parts.leave(EXIT.done);
      return;
    }
    const { isWaitingForInput, currentAsk, lastMessageTs: ask = 0 } = task.state;
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
