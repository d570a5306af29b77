/** One who waits until it is called. A call that comes before it waits is not lost. */
export class Waiter {
  #isCalled = false;
  #isGone = false;
  #goOn: (() => void) | undefined;

  /** It has left: it waits for nothing more. */
  get isGone(): boolean {
    return this.#isGone;
  }

  readonly call = (): void => {
    this.#isCalled = true;
    this.#goOn?.();
  };

  readonly leave = (): void => {
    this.#isGone = true;
    this.call();
  };

  /** Resolves once it was called since this last resolved. */
  async called(): Promise<void> {
    if (!this.#isCalled)
      await new Promise<void>((resolve) => {
        this.#goOn = resolve;
      });
    this.#goOn = undefined;
    this.#isCalled = false;
  }
}
