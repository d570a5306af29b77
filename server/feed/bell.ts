/** Tells whoever listens that there is something new. What it is, they look up. */
export class Bell {
  readonly #listeners = new Set<() => void>();

  ring(): void {
    for (const listener of this.#listeners) listener();
  }

  /** The function it gives ends it. */
  onRing(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** One who sleeps until somebody wakes it. A call that comes while it is awake is not lost. */
export class Sleeper {
  #isCalled = false;
  #isGone = false;
  #wake: (() => void) | undefined;

  /** It is to end: nothing more is awaited. */
  get isGone(): boolean {
    return this.#isGone;
  }

  readonly call = (): void => {
    this.#isCalled = true;
    this.#wake?.();
  };

  readonly leave = (): void => {
    this.#isGone = true;
    this.call();
  };

  /** Resolves when it was called since it last slept. */
  async sleep(): Promise<void> {
    if (!this.#isCalled)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#wake = undefined;
    this.#isCalled = false;
  }
}
