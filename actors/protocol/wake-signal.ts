/** Wakes one waiting reader, or aborts it. A wake-up before the reader waits is kept. */
export class WakeSignal {
  #isPending = false;
  #isAborted = false;
  #resume: (() => void) | undefined;
  #onAbort: readonly (() => void)[] = [];

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
    for (const listener of this.#onAbort) listener();
    this.wake();
  };

  /** Call a listener when it is aborted, or now if it is. */
  onAbort(listener: () => void): void {
    if (this.#isAborted) listener();
    else this.#onAbort = [...this.#onAbort, listener];
  }

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
