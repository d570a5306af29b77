/** Wakes one waiting reader, or aborts it. A wake-up before the reader waits is kept. */
export class WakeSignal {
  #isPending = false;
  #isAborted = false;
  #resume: (() => void) | undefined;

  get isAborted(): boolean {
    return this.#isAborted;
  }

  readonly wake = (): void => {
    this.#isPending = true;
    this.#resume?.();
  };

  /** Wake the reader for good: it must not wait again. */
  readonly abort = (): void => {
    this.#isAborted = true;
    this.wake();
  };

  /** Resolves once {@link wake} was called since this last resolved. */
  async wait(): Promise<void> {
    if (!this.#isPending)
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    this.#resume = undefined;
    this.#isPending = false;
  }
}
