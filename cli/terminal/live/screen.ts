import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { printable } from "../../../client/printable/printable.ts";
import type { Output } from "../../io.ts";
import type { Style } from "../../show/style.ts";
import type { MenuRows } from "../input/menu.ts";
import { NO_QUESTION, type PromptScreen, type TypedLine } from "../input/prompt-screen.ts";
import type { MarkdownSink } from "../markdown/stream.ts";
import type { TextOutput } from "../text-output.ts";
import { Frame, type Rows } from "./frame.ts";

const ROWS_UNKNOWN = 24;
const COLUMNS_UNKNOWN = 80;
const COLUMNS_MIN = 10;
/** Maximum rows of the input on a screen of usual height; on a high one, a third of it. */
const INPUT_ROWS_MAX = 6;

/** Maximum rows of the messages that wait for the next request. */
const QUEUED_ROWS_MAX = 3;

/** Maximum rows of what can be typed. */
const MENU_ROWS_MAX = 8;

const NO_MENU: MenuRows = { rows: [], chosen: undefined };

/** Characters that are one cell wide. */
const ASCII = /^[ -~]*$/;

/** Styles and spaces at the start of a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape begins a style
const INDENTED = /^((?:\x1b\[[\d;]*m)*)( *)/;

/** The content around the input. */
export interface ScreenSurroundings {
  /** Formats the last row, at each redraw. */
  readonly status: (width: number) => string;
  /** Messages that wait for the next request: they are shown above the input. */
  readonly queued: () => readonly string[];
}

/**
 * A terminal with text that scrolls and, below it, rows that are redrawn: the part of the text that is not final, the
 * input line, and the status line. All changes of one turn of the event loop are drawn at once.
 */
export class LiveScreen implements TextOutput, MarkdownSink, PromptScreen {
  readonly #output: Output;
  readonly #style: Style;
  readonly #frame: Frame;
  readonly #around: ScreenSurroundings;
  /** Complete lines that are still to be written. */
  #settled = "";
  /** The incomplete line. */
  #begun = "";
  #opened: readonly string[] = [];
  #passing = "";
  #typed: TypedLine = { question: undefined, line: "", cursor: 0 };
  #isDue = false;
  /** Whether another program has the terminal. */
  #isAway = false;
  #isOver = false;
  readonly #redraw = (): void => this.refresh();

  constructor(output: Output, style: Style, around: ScreenSurroundings) {
    this.#output = output;
    this.#style = style;
    this.#frame = new Frame(output);
    this.#around = around;
    output.on("resize", this.#redraw);
    output.on("drain", this.#redraw);
  }

  /** Called once when the reader has gone away. */
  onBroken(listener: () => void): void {
    this.#output.on("error", () => {
      this.#isOver = true;
      listener();
    });
  }

  /** The cells of a row. The last column stays free: a terminal may wrap a row that fills it. */
  get width(): number {
    return Math.max(COLUMNS_MIN, this.#output.columns ?? COLUMNS_UNKNOWN) - 1;
  }

  get isInLine(): boolean {
    return this.#begun !== "";
  }

  write(text: string): void {
    if (text === "") return;
    this.#passing = "";
    const end = text.lastIndexOf("\n") + 1;
    if (end > 0) {
      this.#settled += wrapped(this.#begun + text.slice(0, end), this.width).join("\n");
      this.#begun = "";
    }
    this.#begun += text.slice(end);
    this.#fold();
    this.refresh();
  }

  line(text: string): void {
    this.freshLine();
    this.write(`${text}\n`);
  }

  freshLine(): void {
    if (this.isInLine) this.write("\n");
  }

  transient(text: string): void {
    this.#passing = text;
    this.refresh();
  }

  settle(lines: readonly string[]): void {
    if (lines.length > 0) {
      // Lines of code stay whole, so that they can be copied. The first one ends the line that has begun.
      this.#settled += this.#begun + lines.map((line) => `${line}\n`).join("");
      this.#begun = "";
    }
    this.#passing = "";
    this.refresh();
  }

  open(lines: readonly string[]): void {
    if (lines.length > 0) this.#passing = "";
    this.#opened = lines;
    this.refresh();
  }

  typed(line: TypedLine): void {
    this.#typed = line;
    this.refresh();
  }

  /** The answer to a question becomes a line of the text. */
  taken(question: string | undefined, line: string): void {
    if (question !== undefined) this.line(`${question}${printable(line)}`);
  }

  /** Schedule a redraw. */
  refresh(): void {
    if (this.#isDue || this.#isOver) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.#draw();
    });
  }

  pause(): void {
    this.#frame.leave(this.#settled);
    this.#settled = "";
    this.#isAway = true;
  }

  resume(): void {
    this.#isAway = false;
    this.refresh();
  }

  /** Leave the text on the terminal, and nothing below it. */
  close(): void {
    if (this.#isOver) return;
    const open = this.#opened.map((line) => `${line}\n`).join("");
    const begun = this.#begun === "" ? "" : `${this.#begun}\n`;
    this.#frame.leave(`${this.#settled}${begun}${open}`);
    this.#isOver = true;
    this.#output.off("resize", this.#redraw);
    this.#output.off("drain", this.#redraw);
  }

  /** Move an incomplete line that fills the screen to the final lines. */
  #fold(): void {
    if (this.#begun.length < this.#textRows * this.width) return;
    const rows = wrapped(this.#begun, this.width);
    this.#settled += rows
      .slice(0, -1)
      .map((row) => `${row}\n`)
      .join("");
    this.#begun = rows.at(-1) ?? "";
  }

  get #height(): number {
    const output = this.#output;
    const rows = "rows" in output && typeof output.rows === "number" ? output.rows : 0;
    return rows > 0 ? rows : ROWS_UNKNOWN;
  }

  /** Maximum rows of text that are redrawn. */
  get #textRows(): number {
    const queued = Math.min(QUEUED_ROWS_MAX, this.#around.queued().length);
    const menu = Math.min(MENU_ROWS_MAX, this.#typed.menu?.rows.length ?? 0);
    return Math.max(1, this.#height - this.#inputRows - queued - menu - 3);
  }

  /** Maximum rows of the input. */
  get #inputRows(): number {
    return Math.max(INPUT_ROWS_MAX, Math.floor(this.#height / 3));
  }

  #draw(): void {
    // A slow terminal gets the newest frame once it has taken the last one.
    if (this.#isOver || this.#isAway || this.#output.writableNeedDrain) return;
    const lines = this.#settled;
    this.#settled = "";
    this.#frame.draw(lines, this.#rows());
  }

  #queuedRows(width: number): readonly string[] {
    const queued = this.#around.queued();
    const shown = queued.length > QUEUED_ROWS_MAX ? queued.slice(0, QUEUED_ROWS_MAX - 1) : queued;
    const more = queued.length - shown.length;
    const rows = [
      ...shown.map((text) => `queued: ${printable(text)}`),
      ...(more > 0 ? [`and ${more} more`] : []),
    ];
    return rows.map((row) => this.#style.dim(cut(row, width)));
  }

  /** A long menu is shown around the chosen row. */
  #menuRows(width: number): readonly string[] {
    const { rows, chosen } = this.#typed.menu ?? NO_MENU;
    const room = rows.length > MENU_ROWS_MAX ? MENU_ROWS_MAX - 1 : MENU_ROWS_MAX;
    const first = Math.max(0, (chosen ?? 0) - room + 1);
    const more = rows.length - first - room;
    const shown = rows
      .slice(first, first + room)
      .map((row, index) =>
        first + index === chosen
          ? this.#style.bold(cut(`> ${row}`, width))
          : this.#style.dim(cut(`  ${row}`, width)),
      );
    return more > 0 ? [...shown, this.#style.dim(cut(`  and ${more} more: type on, or ↓`, width))] : shown;
  }

  #rows(): Rows {
    const width = this.width;
    const begun = this.#begun === "" ? [] : wrapped(this.#begun, width);
    const opened = this.#opened.flatMap((line) => folded(line, width));
    const text = [...begun, ...opened].slice(-this.#textRows);
    const passing = this.#passing === "" ? [] : [this.#style.dim(cut(this.#passing, width))];
    const { rows, cursor } = inputRows(this.#typed, width, this.#inputRows);
    const above = [...text, ...passing, ...this.#queuedRows(width), ...this.#menuRows(width)];
    return {
      rows: [...above, ...rows, this.#around.status(width)],
      cursor: { row: above.length + cursor.row, column: cursor.column },
    };
  }
}

/** The rows of the input around its cursor. The question is wrapped at words, and the text may start in its last row. */
function inputRows({ question, line, cursor }: TypedLine, width: number, rowsMax: number): Rows {
  const asked = wrapped(question ?? NO_QUESTION, width);
  const last = asked.at(-1) ?? "";
  const rowsUpTo = (end: number): readonly string[] => [
    ...asked.slice(0, -1),
    ...folded(last + typedText(line.slice(0, end)), width),
  ];
  const before = rowsUpTo(cursor);
  const all = rowsUpTo(line.length);
  const row = before.length - 1;
  const first = Math.max(0, Math.min(row, all.length - rowsMax));
  return {
    rows: all.slice(first, first + rowsMax),
    cursor: { row: row - first, column: stringWidth(before[row] ?? "") },
  };
}

/** A tab has no width of its own. */
const typedText = (text: string): string => printable(text).replaceAll("\t", "  ");

/** Text in rows, broken between words. */
const wrapped = (text: string, width: number): readonly string[] =>
  text.split("\n").flatMap((line) => (isShort(line, width) ? [line] : wrapLine(line, width)));

const isShort = (line: string, width: number): boolean =>
  (line.length <= width && ASCII.test(line)) || stringWidth(line) <= width;

/** Each row has the indentation of the line, which may stand behind a style. */
function wrapLine(line: string, width: number): readonly string[] {
  const [start = "", styles = "", spaces = ""] = INDENTED.exec(line) ?? [];
  const indent = spaces.length < width / 2 ? spaces : "";
  const text = line.slice(start.length).trimEnd();
  const rows = wrapAnsi(styles + text, width - indent.length, { hard: true }).split("\n");
  const last = rows.pop() ?? "";
  // The spaces at the end separate it from what follows.
  const end = line.slice(start.length + text.length).slice(0, width - indent.length - stringWidth(last));
  return [...rows, `${last}${end}`].map((row) => `${indent}${row}`);
}

const folded = (text: string, width: number): readonly string[] =>
  wrapAnsi(text, width, { hard: true, wordWrap: false, trim: false }).split("\n");

/** One row of a text, with a mark if it is longer. */
function cut(text: string, width: number): string {
  const line = text.replaceAll("\n", " ");
  return isShort(line, width) ? line : `${folded(line, width - 1)[0] ?? ""}…`;
}
