import { badLog, placeOf } from "./bad-log.ts";
import { firstFault } from "./first-fault.ts";

/** A value of a log, and its place in the file. */
export interface PlacedValue {
  readonly value: unknown;
  readonly where: string;
}

/**
 * The values of a log as text: the elements of a JSON array, or of its `messages`, or one a line.
 *
 * @throws CliError where the text is no JSON, with the line and the byte
 */
export function valuesIn(text: string, file: string): readonly PlacedValue[] {
  const bare = text.replace(/^\uFEFF/, "");
  if (/^\s*\[/.test(bare)) return elements(whole(bare, file));
  const only = parsed(bare);
  if (only !== undefined) {
    const { value } = only;
    if (isObject(value) && Array.isArray(value.messages)) return elements(value.messages);
    return [{ value, where: "line 1" }];
  }
  return lines(bare, file);
}

const elements = (list: unknown): readonly PlacedValue[] =>
  Array.isArray(list) ? list.map((value, index) => ({ value, where: `row ${index}` })) : [];

function whole(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words don't always say where.
    const at = firstFault(text);
    const came = text.slice(at);
    throw badLog(file, placeOf(text, at), came === "" ? "the end" : came, "more of a JSON array");
  }
}

function lines(text: string, file: string): readonly PlacedValue[] {
  let byte = 0;
  return text.split("\n").flatMap((line, index): readonly PlacedValue[] => {
    const where = `line ${index + 1} (byte ${byte})`;
    byte += Buffer.byteLength(line) + 1;
    if (line.trim() === "") return [];
    const read = parsed(line);
    if (read === undefined) throw badLog(file, where, line);
    return [{ value: read.value, where }];
  });
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    // Text that is no JSON as a whole may be so line by line: whoever asks says what that means.
    return undefined;
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
