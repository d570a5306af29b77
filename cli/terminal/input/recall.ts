/** Earlier input, recalled step by step. The text that was typed before is kept as its newest entry. */
export class Recall {
  readonly #newestFirst: readonly string[];
  #position = -1;
  #draft = "";

  constructor(newestFirst: readonly string[]) {
    this.#newestFirst = newestFirst;
  }

  /** @param current the text of the input. Undefined: there is no older entry */
  older(current: string): string | undefined {
    const entry = this.#newestFirst[this.#position + 1];
    if (entry === undefined) return undefined;
    if (this.#position === -1) this.#draft = current;
    this.#position += 1;
    return entry;
  }

  /** Undefined: the text that was typed is shown already. */
  newer(): string | undefined {
    if (this.#position === -1) return undefined;
    this.#position -= 1;
    return this.#position === -1 ? this.#draft : this.#newestFirst[this.#position];
  }
}
