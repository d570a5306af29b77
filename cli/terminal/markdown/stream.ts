import { lexer, type Token } from "marked";
import { printable } from "../../../client/printable/printable.ts";
import type { Style } from "../../show/style.ts";
import { blockLines, codeLines, isFenced, settledLines } from "./blocks.ts";
import { GrowingCode } from "./code.ts";

/** Maximum characters of an open block. A longer one is shown as if it ended there. */
const OPEN_CHARS_MAX = 16_384;
/** From this many characters on, the final part of an open code block is not parsed again. */
const CODE_CHARS_MAX = 4_096;

/** Receives the lines of a text. */
export interface MarkdownSink {
  /** These lines are final: they may scroll away. */
  settle(lines: readonly string[]): void;
  /** The lines that may still change; they replace the previous ones. */
  open(lines: readonly string[]): void;
  /** How many cells a line may have. */
  readonly width: number;
}

/**
 * Renders Markdown as it is streamed. A block is final once a later line ends it; an item of a list, or a line of fenced
 * code, once the next one has come. Final lines are never shown again, and how the text is split into deltas makes no
 * difference to the final lines.
 */
export class MarkdownStream {
  readonly #sink: MarkdownSink;
  readonly #style: Style;
  /** The open block, if it is fenced code. */
  readonly #code: GrowingCode;
  /** Text that is not final. It begins at the start of a block. */
  #text = "";
  /** A carriage return that may be followed by a line feed. */
  #half = "";
  /** Number of final lines of the open block. */
  #settled = 0;
  #isFirst = true;
  /** A block keeps the width it started with: its final lines were wrapped to it. */
  #width: number;

  constructor(sink: MarkdownSink, style: Style) {
    this.#sink = sink;
    this.#style = style;
    this.#code = new GrowingCode(style);
    this.#width = sink.width;
  }

  grow(text: string): void {
    const all = this.#half + text;
    this.#half = all.endsWith("\r") ? "\r" : "";
    this.#text += printable(this.#half === "" ? all : all.slice(0, -1));
    this.#settleLines();
    if (this.#text.length > OPEN_CHARS_MAX) this.#settleAll();
    else this.#sink.open(this.#openLines());
  }

  /** End the text: all of it is final. The stream can be used for another one. */
  end(): void {
    this.#text += printable(this.#half);
    this.#half = "";
    this.#settleAll();
    this.#isFirst = true;
  }

  /** An incomplete line may still continue the block before it. */
  #settleLines(): void {
    const whole = this.#text.slice(0, this.#text.lastIndexOf("\n") + 1);
    const { closed, open } = parted(lexer(whole));
    for (const token of closed) this.#settleBlock(token);
    const length = lengthOf(closed);
    this.#text = this.#text.slice(length);
    if (open !== undefined) this.#settleSome(open, whole.length - length);
  }

  /** The lines that are not final. */
  #openLines(): readonly string[] {
    const lines: string[] = [];
    for (const token of lexer(this.#text)) {
      const block = this.#linesOf(token);
      if (block.length === 0) continue;
      if (lines.length > 0) lines.push("", ...block);
      else lines.push(...this.#gap(), ...block.slice(this.#settled));
    }
    return lines;
  }

  #settleAll(): void {
    for (const token of lexer(this.#text)) this.#settleBlock(token);
    this.#text = "";
    this.#sink.open([]);
  }

  #settleBlock(token: Token): void {
    if (token.type === "space") return;
    const lines = withoutBlankEnd(this.#linesOf(token));
    this.#settle(lines.slice(this.#settled));
    this.#code.restart();
    this.#settled = 0;
    this.#isFirst = false;
  }

  /** @param length of the complete lines, which end with this block */
  #settleSome(token: Token, length: number): void {
    const lines = this.#linesOf(token);
    const settled = Math.max(this.#settled, settledLines(token, this.#width, this.#style));
    this.#settle(lines.slice(this.#settled, settled));
    this.#settled = settled;
    if (isFenced(token) && length > CODE_CHARS_MAX) this.#shorten(length);
  }

  /** Keep only the fence and the last final line of an open code block. */
  #shorten(length: number): void {
    const [fence = "", ...lines] = this.#text.slice(0, length - 1).split("\n");
    if (this.#settled < lines.length) return;
    this.#text = [fence, lines.at(-1) ?? "", this.#text.slice(length)].join("\n");
    this.#code.dropBefore(lines.length - 1);
    this.#settled = 1;
  }

  #linesOf(token: Token): readonly string[] {
    if (this.#settled === 0) this.#width = this.#sink.width;
    if (!isFenced(token)) return blockLines(token, this.#width, this.#style);
    return codeLines(token, this.#style, (lines, info) => this.#code.colored(lines, info));
  }

  #settle(lines: readonly string[]): void {
    if (lines.length > 0) this.#sink.settle([...this.#gap(), ...lines]);
  }

  /** A blank line before each block but the first. */
  #gap(): readonly string[] {
    return this.#isFirst || this.#settled > 0 ? [] : [""];
  }
}

/** Blocks that end at a blank line. */
const ENDED_BY_BLANK = new Set(["paragraph", "heading", "hr"]);

/** The blocks that no further line can change, and the one that it can. */
function parted(tokens: readonly Token[]): {
  readonly closed: readonly Token[];
  readonly open: Token | undefined;
} {
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  const open = tokens[last];
  const isEnded = open === undefined || (last < tokens.length - 1 && ENDED_BY_BLANK.has(open.type));
  return isEnded ? { closed: tokens, open: undefined } : { closed: tokens.slice(0, last), open };
}

const lengthOf = (tokens: readonly Token[]): number => tokens.reduce((sum, { raw }) => sum + raw.length, 0);

function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}
