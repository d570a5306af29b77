/** Format values as JSON, each once while it is in memory: one text serves all clients. */
export class JsonCache {
  readonly #texts = new WeakMap<object, string>();

  readonly format = (value: object): string => {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value);
    this.#texts.set(value, text);
    return text;
  };
}
