const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/** Bytes of an id, in its JSON. */
const ID_BYTES = 200;

/** The id of a message that is too long to be kept, from its bytes. */
export class LongMessage {
  /** Bytes so far. */
  size = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The JSON of the present key or value of the outermost object; undefined inside of a value that is longer. */
  #token: number[] | undefined = [];
  #key = "";
  readonly #fields = new Map<string, string>();

  add(bytes: Uint8Array): void {
    this.size += bytes.length;
    for (const byte of bytes) this.#take(byte);
  }

  /** The id of the request that it responds to. Undefined: it is no response, or its id is not known. */
  get responseId(): string | number | undefined {
    const id = this.#fields.get("id");
    if (id === undefined || this.#fields.has("method")) return undefined;
    try {
      const value: unknown = JSON.parse(id);
      return typeof value === "string" || typeof value === "number" ? value : undefined;
    } catch {
      return undefined;
    }
  }

  #take(byte: number): void {
    if (this.#inString) {
      if (this.#depth === 1) this.#keep(byte);
      if (this.#escaped) this.#escaped = false;
      else if (byte === BACKSLASH) this.#escaped = true;
      else if (byte === QUOTE) this.#inString = false;
    } else if (byte === QUOTE) {
      this.#inString = true;
      if (this.#depth === 1) this.#keep(byte);
    } else if (OPENING.has(byte)) this.#depth += 1;
    else if (CLOSING.has(byte)) {
      if (this.#depth === 1) this.#endField();
      this.#depth -= 1;
    } else if (this.#depth === 1) this.#takePlain(byte);
  }

  #takePlain(byte: number): void {
    if (byte === COLON) {
      this.#key = this.#text;
      this.#token = [];
    } else if (byte === COMMA) this.#endField();
    else this.#keep(byte);
  }

  #keep(byte: number): void {
    if (this.#token === undefined) return;
    this.#token.push(byte);
    if (this.#token.length > ID_BYTES) this.#token = undefined;
  }

  #endField(): void {
    if (this.#key === '"id"' || this.#key === '"method"')
      this.#fields.set(this.#key.slice(1, -1), this.#text);
    this.#key = "";
    this.#token = [];
  }

  get #text(): string {
    return Buffer.from(this.#token ?? [])
      .toString()
      .trim();
  }
}

/** Code of the error that a call ends with whose result was too long. No server sends it. */
export const RESULT_TOO_LONG = -2;

/** The response in place of one that is too long. */
export const tooLong = (id: string | number, size: number, maxBytes: number) =>
  ({
    jsonrpc: "2.0",
    id,
    error: {
      code: RESULT_TOO_LONG,
      message: `The response has ${size} bytes, expected at most ${maxBytes} (the limit messageBytes): it was not read.`,
    },
  }) as const;
