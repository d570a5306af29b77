/** Encodes values as JSON, each once for as long as it lives: what many clients are told is encoded for all of them. */
export class OnceEncoded {
  readonly #texts = new WeakMap<object, string>();

  readonly json = (value: object): string => {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value);
    this.#texts.set(value, text);
    return text;
  };
}
