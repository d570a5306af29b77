import type { Token, Tokens } from "marked";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { colorDiffLine, type Style } from "../../show/style.ts";
import { padToWidth } from "../columns.ts";
import { colorCode } from "./code.ts";
import { inline, isKnown } from "./inline.ts";

/** The widest rule across a terminal. */
const RULE_CELLS_MAX = 40;
interface FencedCode extends Tokens.Code {
  codeBlockStyle?: never;
}

/** Colors the lines of code with this info string of its fence. */
type ColorCode = (lines: readonly string[], info: string | undefined) => readonly string[];

const DIFFS = /^(diff|patch)$/i;

/** The lines of a block, wrapped to `width` cells; lines of code are not wrapped. */
export function blockLines(token: Token, width: number, style: Style): readonly string[] {
  if (!isKnown(token)) return folded(token.raw, width);
  switch (token.type) {
    case "space":
      return [];
    case "heading":
      return folded(heading(token, style), width);
    case "code":
      return codeLines(token, style);
    case "blockquote":
      return blocks(token.tokens, width - 2, style).map((line) => `${style.dim("│")} ${line}`);
    case "list":
      return token.items.flatMap((item, index) => itemLines(token, item, index, width, style));
    case "table":
      return tableLines(token, width, style);
    case "hr":
      return [style.dim("─".repeat(Math.min(width, RULE_CELLS_MAX)))];
    case "paragraph":
    case "text":
      return folded(inline(token.tokens ?? [token], style), width);
    default:
      return folded(token.raw, width);
  }
}

/** The number of a block's lines that later text can't change. */
export function settledLines(token: Token, width: number, style: Style): number {
  if (!isKnown(token)) return 0;
  // Blank lines at the end may belong to the next block.
  if (isFenced(token))
    return (
      fencedLines(token.raw)
        .slice(0, -1)
        .findLastIndex((line) => line !== "") + 1
    );
  if (token.type !== "list") return 0;
  return blockLines({ ...token, items: token.items.slice(0, -1) }, width, style).length;
}

/** Whether a token is fenced code. */
export const isFenced = (token: Token): token is FencedCode =>
  isKnown(token) && token.type === "code" && token.codeBlockStyle === undefined;
/** A block within another one: a blank line stands between two, but not before a list. */
function blocks(tokens: readonly Token[], width: number, style: Style): readonly string[] {
  return tokens
    .filter(({ type }) => type !== "space")
    .flatMap((token, index) => {
      const lines = blockLines(token, width, style);
      return index === 0 || token.type === "list" ? lines : ["", ...lines];
    });
}

function heading({ depth, tokens }: Tokens.Heading, style: Style): string {
  const text = style.bold(inline(tokens, style));
  return depth <= 2 ? style.cyan(text) : text;
}

/** The lines of code. The default of `color` takes them as complete. */
export function codeLines(
  token: Tokens.Code,
  style: Style,
  color: ColorCode = (lines, info) => colorCode(lines, info, style),
): readonly string[] {
  const lines = isFenced(token) ? fencedLines(token.raw) : token.text.split("\n");
  const colored = DIFFS.test(token.lang ?? "")
    ? lines.map((line) => colorDiffLine(line, style))
    : color(lines, token.lang);
  return colored.map((line) => (line === "" ? "" : `  ${line}`));
}

/** The lines between the fences. While the closing fence is not there, the last one may still grow. */
function fencedLines(raw: string): readonly string[] {
  const [opening = "", ...lines] = raw.split("\n");
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(opening)?.[1] ?? "```";
  const closing = lines.findLastIndex((line) => line.trim() !== "");
  const isClosed = isClosingFence(lines[closing]?.trim() ?? "", fence);
  return isClosed ? lines.slice(0, closing) : lines;
}

const isClosingFence = (line: string, fence: string): boolean =>
  line.length >= fence.length && line === fence.charAt(0).repeat(line.length);

function itemLines(list: Tokens.List, item: Tokens.ListItem, index: number, width: number, style: Style) {
  const [first, ...others] = item.tokens;
  const isTicked = first !== undefined && isKnown(first) && first.type === "checkbox";
  const tick = isTicked ? inline([first], style) : "";
  const mark = `${list.ordered ? `${Number(list.start) + index}. ` : "• "}${tick}`;
  const indent = " ".repeat(mark.length);
  const lines = blocks(isTicked ? others : item.tokens, width - mark.length, style);
  return (lines.length === 0 ? [""] : lines).map((line, at) => `${at === 0 ? mark : indent}${line}`);
}

/** Columns as wide as their widest cell. A table that is wider than the terminal stands as it was written. */
function tableLines(table: Tokens.Table, width: number, style: Style): readonly string[] {
  const rows = [table.header, ...table.rows].map((row) => row.map(({ tokens }) => inline(tokens, style)));
  const widths = table.header.map((_, column) =>
    Math.max(...rows.map((row) => stringWidth(row[column] ?? ""))),
  );
  if (widths.reduce((sum, cells) => sum + cells + 2, 0) > width) return folded(table.raw, width);
  const [head = "", ...body] = rows.map((row) =>
    row.map((cell, column) => padToWidth(cell, widths[column] ?? 0)).join("  "),
  );
  const rule = style.dim(widths.map((cells) => "─".repeat(cells)).join("  "));
  return [style.bold(head), rule, ...body].map((line) => line.trimEnd());
}

const folded = (text: string, width: number): readonly string[] =>
  wrapAnsi(text.trimEnd(), Math.max(1, width), { hard: true }).split("\n");
