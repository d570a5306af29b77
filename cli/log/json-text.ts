import { CliError } from "../error.ts";

/** A value of a log, and its position in the file. */
export interface LocatedValue {
  readonly value: unknown;
  readonly where: string;
}

/**
 * Parse the values of a log: the elements of a JSON array, or of its `messages`, or one per line.
 *
 * @throws CliError where the text is no JSON, with the line and the byte
 */
export function parseValues(text: string, file: string): readonly LocatedValue[] {
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

const elements = (list: unknown): readonly LocatedValue[] =>
  Array.isArray(list) ? list.map((value, index) => ({ value, where: `element ${index}` })) : [];

function whole(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of JSON.parse doesn't always contain the position.
    const at = findSyntaxError(text);
    const came = text.slice(at);
    throw logError(file, formatPosition(text, at), came === "" ? "the end" : came, "more of a JSON array");
  }
}

function lines(text: string, file: string): readonly LocatedValue[] {
  let byte = 0;
  return text.split("\n").flatMap((line, index): readonly LocatedValue[] => {
    const where = `line ${index + 1} (byte ${byte})`;
    byte += Buffer.byteLength(line) + 1;
    if (line.trim() === "") return [];
    const read = parsed(line);
    if (read === undefined) throw logError(file, where, line);
    return [{ value: read.value, where }];
  });
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    // Text that is not JSON as a whole may be JSON lines: the caller decides.
    return undefined;
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a string of JSON can't hold them
  /[{}[\],:]|"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SPACE = /[ \t\r\n]*/y;

type Expected = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end" | "nothing";

/** The position of the first character at which a text stops being JSON. */
export function findSyntaxError(text: string): number {
  const open: string[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    at = match(SPACE, text, at)?.end ?? at;
    const token = match(TOKEN, text, at);
    const next: Expected | undefined = token === undefined ? undefined : after(token.text, expected, open);
    if (token === undefined || next === undefined) return at;
    expected = next;
    at = token.end;
  }
}

function match(pattern: RegExp, text: string, at: number) {
  pattern.lastIndex = at;
  const found = pattern.exec(text)?.[0];
  return found === undefined ? undefined : { text: found, end: at + found.length };
}

/**
 * The tokens that may follow the token; undefined for a token that is not allowed. `open`: the arrays and objects around it.
 */
function after(token: string, expected: Expected, open: string[]): Expected | undefined {
  switch (token) {
    case "]":
    case "}":
      return expected.endsWith("or end") && open.pop() === (token === "]" ? "[" : "{")
        ? afterWhole(open)
        : undefined;
    case ",":
      if (expected !== "comma or end") return undefined;
      return open.at(-1) === "[" ? "value" : "key";
    case ":":
      return expected === "colon" ? "value" : undefined;
    default:
      return afterValue(token, expected, open);
  }
}

function afterValue(token: string, expected: Expected, open: string[]): Expected | undefined {
  if (expected.startsWith("key")) return token.startsWith('"') ? "colon" : undefined;
  if (!expected.startsWith("value")) return undefined;
  if (token !== "[" && token !== "{") return afterWhole(open);
  open.push(token);
  return token === "[" ? "value or end" : "key or end";
}

/** The tokens that may follow a complete value. */
const afterWhole = (open: readonly string[]): Expected => (open.length === 0 ? "nothing" : "comma or end");

/** The formats of a recorded log. */
const KINDS =
  "a JSON array or JSON lines of messages ({ts, type, ...}), conversation entries ({role, content}) or log events ({type: message.appended, ...}), or a journal";
const QUOTED_CHARACTERS = 60;

/** The error for a file, or a part of it, that is no log. `where` names the position in it. */
export function logError(file: string, where: string, came: unknown, expected: string = KINDS): CliError {
  const text = typeof came === "string" ? came : (JSON.stringify(came) ?? String(came));
  const cut = text.length > QUOTED_CHARACTERS ? `${text.slice(0, QUOTED_CHARACTERS)}…` : text;
  return new CliError(
    `${file}, ${where}: expected ${expected}, got ${cut === "" ? "nothing" : cut}. Give a recorded log, or fix this place.`,
  );
}

/** Format the position of a character of a text: line from 1, byte from 0. */
function formatPosition(text: string, character: number): string {
  const before = text.slice(0, character);
  return `line ${before.split("\n").length} (byte ${Buffer.byteLength(before)})`;
}
