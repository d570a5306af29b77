import type { Paint, Style } from "../../show/style.ts";
import { type CodeToken, languageOf, tokensOf } from "./languages.ts";

/** Maximum characters of a code text that is parsed at once. */
const PARSED_CHARS_MAX = 4_096;
/** Maximum characters of the lines before a line that its colors depend on. */
const CONTEXT_CHARS_MAX = 512;
/** A longer line has one color, in characters. */
const LINE_CHARS_MAX = 1_024;

/** Texts over several lines, by their starts: the ends that may still be to come. */
const ENDS: readonly (readonly [start: string, end: string])[] = [
  ["/*", "*/"],
  ["<!--", "-->"],
  ["<script", "</script>"],
  ["<style", "</style>"],
  ["`", "`"],
  ['"""', '"""'],
  ["'''", "'''"],
  ['"', '"'],
  ["'", "'"],
  ["<", ">"],
];

type Color = "dim" | "green" | "yellow" | "magenta" | "cyan" | "none";

/** The colors of kinds of tokens. A part without one has the color of the token that it is in. */
const COLORS: Readonly<Record<string, Color>> = {
  ...{ comment: "dim", prolog: "dim", doctype: "dim", cdata: "dim" },
  ...{ string: "green", char: "green", regex: "green", "attr-value": "green", scalar: "green" },
  ...{ number: "yellow", boolean: "yellow", constant: "yellow", symbol: "yellow", variable: "yellow" },
  ...{ keyword: "magenta", atrule: "magenta", tag: "magenta", important: "magenta", selector: "magenta" },
  ...{ function: "cyan", "class-name": "cyan", "attr-name": "cyan", property: "cyan", key: "cyan" },
  builtin: "cyan",
  ...{ interpolation: "none", script: "none", spread: "none" },
};

/** A line of code. */
interface CodeLine {
  readonly text: string;
  readonly colored: string;
  /** The lines that the colors of the next one depend on. */
  readonly after: string;
}

/** The colored lines of code that is complete. It has one color in an unknown language. */
export function colorCode(
  lines: readonly string[],
  info: string | undefined,
  style: Style,
): readonly string[] {
  const code = lines.join("\n");
  const language = languageOf(info);
  if (language === undefined || code.length > PARSED_CHARS_MAX || lines.some(isLong))
    return lines.map(style.cyan);
  return painted(tokensOf(code, language).flat(), style).split("\n");
}

/**
 * The colored lines of a block of code that grows. The colors of a line depend on the lines before it, and on no later
 * one: a text over several lines, as a comment, counts as one before its end has come.
 */
export class GrowingCode {
  readonly #style: Style;
  #info: string | undefined;
  #lines: CodeLine[] = [];
  /** The lines before the first one. */
  #before = "";

  constructor(style: Style) {
    this.#style = style;
  }

  /** Color the lines. Those that are unchanged since the last call are not parsed again. */
  colored(lines: readonly string[], info: string | undefined): readonly string[] {
    if (info !== this.#info) this.restart();
    this.#info = info;
    const language = languageOf(info);
    if (language === undefined) return lines.map(this.#style.cyan);
    const same = lines.findIndex((line, at) => line !== this.#lines[at]?.text);
    this.#lines = this.#lines.slice(0, same === -1 ? lines.length : same);
    for (const line of lines.slice(this.#lines.length))
      this.#lines.push(this.#color(line, this.#lines.at(-1)?.after ?? this.#before, language));
    return this.#lines.map(({ colored }) => colored);
  }

  /** Forget the lines before the one with this index: the next call begins with that line. */
  dropBefore(index: number): void {
    this.#before = this.#lines[index - 1]?.after ?? this.#before;
    this.#lines = this.#lines.slice(index);
  }

  /** Begin another block. */
  restart(): void {
    this.#lines = [];
    this.#before = "";
  }

  #color(text: string, before: string, language: string): CodeLine {
    if (isLong(text)) return { text, colored: this.#style.cyan(text), after: "" };
    const code = before + text;
    const { tokens, start } = parseOpen(code, language);
    const colored = painted(sliced(tokens.flat(), before.length, code.length), this.#style);
    return { text, colored, after: contextAfter(`${code}\n`, start) };
  }
}

const isLong = (line: string): boolean => line.length > LINE_CHARS_MAX;

/** The tokens of code, and where the one starts that continues in the next line. */
interface OpenCode {
  readonly tokens: readonly (readonly CodeToken[])[];
  readonly start?: number;
}

/** Parse code as if the next line ended the text over several lines that it leaves open. */
function parseOpen(code: string, language: string): OpenCode {
  for (const [, end] of ENDS.filter(([start]) => code.includes(start))) {
    const tokens = tokensOf(`${code}\n${end}`, language);
    const start = startOfTokenAt(code.length, tokens);
    if (start < code.length) return { tokens, start };
  }
  return { tokens: tokensOf(code, language) };
}

/** The start of the token that contains a position; the position itself where none does. */
function startOfTokenAt(position: number, tokens: OpenCode["tokens"]): number {
  let start = 0;
  for (const token of tokens) {
    const end = start + token.reduce((sum, { text }) => sum + text.length, 0);
    if (end > position) return token.some(({ kinds }) => kinds.length > 0) ? start : position;
    start = end;
  }
  return position;
}

/** The lines to parse with the next one: of long code, only the first line of the open token. */
function contextAfter(code: string, start: number | undefined): string {
  if (code.length <= CONTEXT_CHARS_MAX) return code;
  if (start === undefined) return "";
  const first = code.lastIndexOf("\n", start) + 1;
  return code.slice(first, code.indexOf("\n", first) + 1);
}

function sliced(tokens: readonly CodeToken[], from: number, to: number): readonly CodeToken[] {
  let at = 0;
  return tokens.map(({ text, kinds }) => {
    const start = at;
    at += text.length;
    return { text: text.slice(Math.max(0, from - start), Math.max(0, to - start)), kinds };
  });
}

/** Each line is colored on its own. */
function painted(tokens: readonly CodeToken[], style: Style): string {
  const runs: { readonly color: Color; text: string }[] = [];
  for (const { text, kinds } of tokens) {
    const color = colorOf(kinds);
    const last = runs.at(-1);
    if (last?.color === color) last.text += text;
    else runs.push({ color, text });
  }
  return runs.map(({ color, text }) => text.split("\n").map(paintOf(color, style)).join("\n")).join("");
}

const colorOf = (kinds: readonly string[]): Color =>
  kinds.map((kind) => (Object.hasOwn(COLORS, kind) ? COLORS[kind] : undefined)).findLast((color) => color) ??
  "none";

const paintOf = (color: Color, style: Style): Paint => (color === "none" ? (text) => text : style[color]);
