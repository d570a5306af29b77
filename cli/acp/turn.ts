/** One prompt of a session, until it is answered. */
export class Turn {
  readonly #cancelled = new AbortController();
  /** Resolves when the turn ends with a question of the model, which the next prompt answers. */
  readonly question: Promise<void>;
  #ask: () => void = () => {};

  constructor() {
    this.question = new Promise((resolve) => {
      this.#ask = resolve;
    });
  }

  /** Aborts when the turn is cancelled. */
  get signal(): AbortSignal {
    return this.#cancelled.signal;
  }

  readonly cancel = (): void => this.#cancelled.abort();

  /** The model asks a question that the client can't show as a form, or that was not answered there. */
  endWithQuestion(): void {
    this.#ask();
  }
}
