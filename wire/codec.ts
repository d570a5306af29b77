import { pathOf, shown, WireError, type WireErrorCode } from "./error.ts";

/**
 * The wire form of one type: JSON. `place` says where the text or value was read, for the error: a file and a
 * line, or a connection.
 */
export interface Codec<T> {
  /** One line of JSON, without its line end. */
  encode(value: T): string;
  /** @throws WireError where `text` is not JSON, or not a `T`. */
  decode(text: string, place: string): T;
  /** `value` itself, with every field that it has. @throws WireError where it is not a `T`. */
  parse(value: unknown, place: string): T;
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
 * The codec of what `schema` describes. What is read is checked and then handed on as it came: no field is
 * lost and none changes its place, so that text that is decoded and encoded again is the same text.
 *
 * @param noun What a value is called in errors: `a message`.
 */
export function codec<T>(schema: Schema<T>, code: WireErrorCode, noun: string): Codec<T> {
  const fits = (value: unknown): value is T => schema.safeParse(value).success;
  const parse = (value: unknown, place: string): T => {
    if (fits(value)) return value;
    throw problemOf(schema, value, code, noun, place);
  };
  return {
    encode: (value) => JSON.stringify(value),
    decode: (text, place) => parse(json(text, noun, place), place),
    parse,
  };
}

function json(text: string, noun: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const problem = `expected ${noun} as JSON, got ${shown(text)}. Restore the line or leave it out.`;
    throw new WireError("INVALID_JSON", place, "", problem, { cause });
  }
}

function problemOf(
  schema: Schema<unknown>,
  value: unknown,
  code: WireErrorCode,
  noun: string,
  place: string,
): WireError {
  const cause = schema.safeParse(value).error;
  const issue = cause?.issues[0];
  const problem = `expected ${noun}, but ${issue?.message ?? "it is none"}. Got ${shown(value)}. Correct it or leave it out.`;
  return new WireError(code, place, pathOf(issue?.path ?? []), problem, { cause });
}
