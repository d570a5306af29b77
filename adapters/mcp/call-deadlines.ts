import type { Clock } from "../../ports/clock.ts";

export interface CallDeadlinesOptions {
  readonly clock: Clock;
  /** Maximum time without progress, in milliseconds. */
  readonly idleMs: number;
  /** Maximum time, in milliseconds. */
  readonly maxMs: number;
}

/** The deadlines of a call. They begin at once. */
export class CallDeadlines {
  readonly #options: CallDeadlinesOptions;
  readonly #late = new AbortController();
  /** Undefined while they are stopped. */
  #cancel: { readonly idle: () => void; readonly max: () => void } | undefined;

  constructor(options: CallDeadlinesOptions) {
    this.#options = options;
    this.start();
  }

  /** Aborts with {@link McpCallTimeout} at the first deadline. */
  get signal(): AbortSignal {
    return this.#late.signal;
  }

  /** Begin both deadlines anew. */
  start(): void {
    this.stop();
    const { idleMs, maxMs } = this.#options;
    this.#cancel = { idle: this.#expire(idleMs), max: this.#expire(maxMs) };
  }

  /** Begin the deadline without progress anew, unless they are stopped. */
  progress(): void {
    if (this.#cancel === undefined) return;
    this.#cancel.idle();
    this.#cancel = { ...this.#cancel, idle: this.#expire(this.#options.idleMs) };
  }

  stop(): void {
    this.#cancel?.idle();
    this.#cancel?.max();
    this.#cancel = undefined;
  }

  #expire(ms: number): () => void {
    return this.#options.clock.after(ms, () => this.#late.abort(new McpCallTimeout(ms)));
  }
}

/** The server did not answer a call in time. The call was cancelled. */
export class McpCallTimeout extends Error {
  constructor(ms: number) {
    super(`The server did not answer within ${ms} ms: the call was cancelled.`);
    this.name = "McpCallTimeout";
  }
}
