import type { Io, StopSignal } from "../io.ts";

const SIGNALS: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** The request of a user to stop: the first signal. A second one asks to stop at once. */
export class StopRequest {
  /** Resolves at the first signal. */
  readonly stop: Promise<void>;
  /** Resolves at the second signal. */
  readonly kill: Promise<void>;
  readonly #io: Io;
  readonly #take: () => void;

  constructor(io: Io) {
    const resolvers: (() => void)[] = [];
    const next = (): Promise<void> =>
      new Promise((resolve) => {
        resolvers.push(resolve);
      });
    this.stop = next();
    this.kill = next();
    this.#io = io;
    this.#take = () => resolvers.shift()?.();
    for (const signal of SIGNALS) io.on(signal, this.#take);
  }

  /** Listen to signals no longer: their default applies. */
  unlisten(): void {
    for (const signal of SIGNALS) this.#io.off(signal, this.#take);
  }
}
