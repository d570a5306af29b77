import { StringDecoder } from "node:string_decoder";
import { StdinCommandError } from "../../wire/index.ts";

/** The longest line of input that is read, in characters: twenty images of the largest size fit. */
export const LINE_CHARS_MAX = 300_000_000;

/** A line that is not blank, and its number from 1 on. */
export interface InputLine {
  readonly text: string;
  readonly number: number;
}

/**
 * The lines of an input that aren't blank, as they come; the last one needs no end. Only `\n` ends a line (JSON may hold
 * U+2028 as it is).
 * @throws StdinCommandError for a line beyond `charsMax`
 */
export async function* linesOf(
  input: AsyncIterable<unknown>,
  charsMax: number = LINE_CHARS_MAX,
): AsyncGenerator<InputLine> {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let chars = 0;
  let number = 1;
  const take = (last: string): InputLine | undefined => {
    const text = pieces.join("") + last;
    const line = { text, number };
    pieces = [];
    chars = 0;
    number += 1;
    return text.trim() === "" ? undefined : line;
  };
  for await (const chunk of input) {
    const parts = (typeof chunk === "string" ? chunk : decoder.write(bytesOf(chunk))).split("\n");
    const rest = parts.pop() ?? "";
    for (const part of parts) {
      bound(chars + part.length, charsMax, number);
      const line = take(part);
      if (line !== undefined) yield line;
    }
    chars += rest.length;
    bound(chars, charsMax, number);
    if (rest !== "") pieces.push(rest);
  }
  const line = take(decoder.end());
  if (line !== undefined) yield line;
}

const bytesOf = (chunk: unknown): Buffer =>
  chunk instanceof Uint8Array ? Buffer.from(chunk) : Buffer.from(String(chunk));

function bound(chars: number, charsMax: number, number: number): void {
  if (chars > charsMax)
    throw new StdinCommandError(
      number,
      `expected a line of at most ${charsMax} characters, got a longer one`,
    );
}
