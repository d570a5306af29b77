import { StringDecoder } from "node:string_decoder";
import { StdinCommandError } from "../../wire/ndjson/command.ts";

/** Maximum characters of an input line: twenty images of the largest size fit. */
export const LINE_CHARS_MAX = 300_000_000;

/** A line that is not blank, and its number from 1 on. */
export interface InputLine {
  readonly text: string;
  readonly number: number;
}

/**
 * Read the non-blank lines of an input as they come; the last one needs no newline. Only `\n` ends a line (JSON may
 * contain U+2028).
 * @throws StdinCommandError for a line beyond `charsMax`
 */
export async function* linesOf(
  input: AsyncIterable<unknown>,
  charsMax: number = LINE_CHARS_MAX,
): AsyncGenerator<InputLine> {
  const decoder = new StringDecoder("utf8");
  let pending: string[] = [];
  let chars = 0;
  let number = 1;
  const take = (last: string): InputLine | undefined => {
    const text = pending.join("") + last;
    const line = { text, number };
    pending = [];
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
    if (rest !== "") pending.push(rest);
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
