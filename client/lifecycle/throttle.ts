import type { Clock } from "../../actors/index.ts";

/** Acts at once, then at most once in each stretch of time, at its end. */
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

  /** There is something to act on. */
  note(): void {
    if (this.#stop === undefined) this.#go();
    else this.#isPending = true;
  }

  /** Acts now, if it was to act at all. */
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
