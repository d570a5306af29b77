import type { Clock } from "../../ports/clock.ts";

/** Runs an action at once, then at most once per interval, at its end. */
export class Throttle {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #act: () => void;
  #isPending = false;
  #stop: (() => void) | undefined;

  constructor(clock: Clock, ms: number, act: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#act = act;
  }

  /** Request the action. */
  note(): void {
    if (this.#stop === undefined) this.#go();
    else this.#isPending = true;
  }

  /** Run a pending action now. */
  force(): void {
    if (!this.#isPending) return;
    this.end();
    this.#go();
  }

  end(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#isPending = false;
  }

  #go(): void {
    this.#stop = this.#clock.after(this.#ms, () => {
      const isDue = this.#isPending;
      this.end();
      if (isDue) this.#go();
    });
    this.#act();
  }
}
