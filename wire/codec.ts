import { excerpt, formatPath, WireError, type WireErrorCode } from "./error.ts";

/** JSON codec of one type. `source` names the origin of the text or value in errors: a file and line, or a connection. */
export interface Codec<T> {
  /** Encode as one line of JSON, without its line end. */
  encode(value: T): string;
  /** @throws WireError if `text` is not JSON, or not a `T`. */
  decode(text: string, source: string): T;
  /** Return `value` itself, with all its fields. @throws WireError if it is not a `T`. */
  parse(value: unknown, source: string): T;
}

/** The part of a zod schema that a codec uses: of `zod` and of `zod/mini`. */
interface Schema<T> {
  safeParse(value: unknown): {
    readonly success: boolean;
    readonly data?: T | undefined;
    readonly error?: { readonly issues: readonly { path: PropertyKey[]; message: string }[] } | undefined;
  };
}

/**
 * Create the codec of a schema. Values are validated and returned unchanged, with unknown fields and the order of fields:
 * text that is decoded and encoded again is the same text.
 *
 * @param noun Name of a value in errors: `a message`.
 */
export function codec<T>(schema: Schema<T>, code: WireErrorCode, noun: string): Codec<T> {
  const isValid = (value: unknown): value is T => schema.safeParse(value).success;
  const parse = (value: unknown, source: string): T => {
    if (isValid(value)) return value;
    const cause = schema.safeParse(value).error;
    const issue = cause?.issues[0];
    const problem = `expected ${noun}, got ${excerpt(value)} (${issue?.message ?? "invalid"}). Correct it or leave it out.`;
    throw new WireError(code, source, formatPath(issue?.path ?? []), problem, { cause });
  };
  return {
    encode: (value) => JSON.stringify(value),
    decode: (text, source) => parse(parseJson(text, noun, source), source),
    parse,
  };
}

function parseJson(text: string, noun: string, source: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const problem = `expected ${noun} as JSON, got ${excerpt(text)}. Restore the line or leave it out.`;
    throw new WireError("INVALID_JSON", source, "", problem, { cause });
  }
}
