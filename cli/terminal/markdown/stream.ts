import { lexer, type Token } from "marked";
import { printable, type Style } from "../../show/index.ts";
import { blockLines, isFenced, settledLines } from "./blocks.ts";

/** The most characters of one block that are held open. A longer one is shown as if it ended there. */
const OPEN_CHARS_MAX = 16_384;
/** From so many characters on, what of an open code block is settled is not read again. */
const CODE_CHARS_MAX = 4_096;

/** Where a text's lines go. */
export interface MarkdownSink {
  /** These lines are final: they may scroll away. */
  settle(lines: readonly string[]): void;
  /** The lines that may still change, in place of those that were told before. */
  open(lines: readonly string[]): void;
  /** How many cells a line may have. */
  readonly width: number;
}

/**
 * Markdown that comes in pieces. A block is final when a line says that it is over; of a list and of code between
 * fences, each item and each line is when the next one has come. So nothing that was settled is ever shown again, and the
 * pieces that a text comes in make no difference to what is settled in the end.
 */
export class MarkdownStream {
  readonly #sink: MarkdownSink;
  readonly #style: Style;
  /** What isn't settled. It begins where a block begins. */
  #text = "";
  /** A carriage return, which may be the half of the end of a line. */
  #half = "";
  /** How many lines of the open block are settled. */
  #settled = 0;
  #isFirst = true;
  /** A block keeps the width that it began with: what is settled of it was counted in it. */
  #width: number;

  constructor(sink: MarkdownSink, style: Style) {
    this.#sink = sink;
    this.#style = style;
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

  /** The text has ended: all of it is final. The stream can be used for another one. */
  end(): void {
    this.#text += printable(this.#half);
    this.#half = "";
    this.#settleAll();
    this.#isFirst = true;
  }

  /** A line that isn't whole does not tell yet whether it goes on with the block before it. */
  #settleLines(): void {
    const whole = this.#text.slice(0, this.#text.lastIndexOf("\n") + 1);
    const { closed, open } = parted(lexer(whole));
    for (const token of closed) this.#settleBlock(token);
    const length = lengthOf(closed);
    this.#text = this.#text.slice(length);
    if (open !== undefined) this.#settleSome(open, whole.length - length);
  }

  /** What isn't settled, as it looks now. */
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
    this.#settled = 0;
    this.#isFirst = false;
  }

  /** `length` is that of the whole lines: they end with this block. */
  #settleSome(token: Token, length: number): void {
    const lines = this.#linesOf(token);
    const settled = Math.max(this.#settled, settledLines(token, this.#width, this.#style));
    this.#settle(lines.slice(this.#settled, settled));
    this.#settled = settled;
    if (isFenced(token) && length > CODE_CHARS_MAX) this.#shorten(length);
  }

  /** Of an open code block, the fence and the last settled line tell all that is needed of what was settled. */
  #shorten(length: number): void {
    const [fence = "", ...lines] = this.#text.slice(0, length - 1).split("\n");
    if (this.#settled < lines.length) return;
    this.#text = [fence, lines.at(-1) ?? "", this.#text.slice(length)].join("\n");
    this.#settled = 1;
  }

  #linesOf(token: Token): readonly string[] {
    if (this.#settled === 0) this.#width = this.#sink.width;
    return blockLines(token, this.#width, this.#style);
  }

  #settle(lines: readonly string[]): void {
    if (lines.length > 0) this.#sink.settle([...this.#gap(), ...lines]);
  }

  /** A blank line before each block but the first. */
  #gap(): readonly string[] {
    return this.#isFirst || this.#settled > 0 ? [] : [""];
  }
}

/** Blocks that a blank line ends. */
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
