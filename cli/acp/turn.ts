/** One prompt of a session, until it is answered. */
export class Turn {
  readonly #cancelled = new AbortController();
  readonly #question = new Signal();
  readonly #end = new Signal();

  /** Aborts when the turn is cancelled. */
  get signal(): AbortSignal {
    return this.#cancelled.signal;
  }

  /** Resolves when the turn ends with a question of the model, which the next prompt answers. */
  get question(): Promise<void> {
    return this.#question.given;
  }

  /** Resolves when the turn has ended, and all its updates are sent. */
  get ended(): Promise<void> {
    return this.#end.given;
  }

  readonly cancel = (): void => this.#cancelled.abort();

  /** The model asks a question that the client can't show as a form, or that was not answered there. */
  endWithQuestion(): void {
    this.#question.give();
  }

  end(): void {
    this.#end.give();
  }
}

/** A promise that is resolved from outside. */
class Signal {
  readonly given: Promise<void>;
  give: () => void = () => {};

  constructor() {
    this.given = new Promise((resolve) => {
      this.give = resolve;
    });
  }
}
