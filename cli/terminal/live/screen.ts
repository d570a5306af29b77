import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import type { Output } from "../../io.ts";
import { printable, type Style } from "../../show/index.ts";
import type { MarkdownSink } from "../markdown/stream.ts";
import type { TextOutput } from "../text-output.ts";
import { Frame, type Rows } from "./frame.ts";

const ROWS_UNKNOWN = 24;
const COLUMNS_UNKNOWN = 80;
const COLUMNS_MIN = 10;
/** Maximum rows of the input line. */
const INPUT_ROWS_MAX = 6;

/** The input line, after the question that it answers. */
export interface TypedLine {
  readonly question: string;
  readonly line: string;
  /** Position of the cursor, in characters of the line. */
  readonly cursor: number;
}

/**
 * A terminal with text that scrolls and, below it, rows that are redrawn: the part of the text that is not final, the
 * input line, and the status line. All changes of one turn of the event loop are drawn at once.
 */
export class LiveScreen implements TextOutput, MarkdownSink {
  readonly #output: Output;
  readonly #style: Style;
  readonly #frame: Frame;
  readonly #status: (width: number) => string;
  /** Complete lines that are still to be written. */
  #settled = "";
  /** The incomplete line. */
  #begun = "";
  #opened: readonly string[] = [];
  #passing = "";
  #typed: TypedLine = { question: "", line: "", cursor: 0 };
  #isDue = false;
  #isOver = false;
  /** Whether another program has the terminal. */
  #isPaused = false;
  readonly #redraw = (): void => this.refresh();

  /** @param status formats the last row, at each redraw */
  constructor(output: Output, style: Style, status: (width: number) => string) {
    this.#output = output;
    this.#style = style;
    this.#frame = new Frame(output);
    this.#status = status;
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
      this.#settled += this.#begun + text.slice(0, end);
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
    for (const line of lines) this.write(`${line}\n`);
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

  /** Schedule a redraw. */
  refresh(): void {
    if (this.#isDue || this.#isOver) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.#draw();
    });
  }

  /** Leave the terminal to another program until the returned function is called. */
  pause(): () => void {
    this.#frame.leave(this.#settled);
    this.#settled = "";
    this.#isPaused = true;
    return () => {
      this.#isPaused = false;
      this.refresh();
    };
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
    const rows = folded(this.#begun, this.width);
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
    return Math.max(1, this.#height - INPUT_ROWS_MAX - 3);
  }

  #draw(): void {
    // A slow terminal gets the newest frame once it has taken the last one.
    if (this.#isOver || this.#isPaused || this.#output.writableNeedDrain) return;
    const lines = this.#settled;
    this.#settled = "";
    this.#frame.draw(lines, this.#rows());
  }

  #rows(): Rows {
    const width = this.width;
    const begun = this.#begun === "" ? [] : folded(this.#begun, width);
    const opened = this.#opened.flatMap((line) => folded(line, width));
    const text = [...begun, ...opened].slice(-this.#textRows);
    const passing = this.#passing === "" ? [] : [this.#style.dim(cut(this.#passing, width))];
    const { rows, cursor } = inputRows(this.#typed, width);
    const above = [...text, ...passing];
    return {
      rows: [...above, ...rows, this.#status(width)],
      cursor: { row: above.length + cursor.row, column: cursor.column },
    };
  }
}

/** The rows of the input line around its cursor. */
function inputRows({ question, line, cursor }: TypedLine, width: number): Rows {
  const before = folded(question + printable(line.slice(0, cursor)), width);
  const all = folded(question + printable(line), width);
  const row = before.length - 1;
  const first = Math.max(0, Math.min(row, all.length - INPUT_ROWS_MAX));
  return {
    rows: all.slice(first, first + INPUT_ROWS_MAX),
    cursor: { row: row - first, column: stringWidth(before[row] ?? "") },
  };
}

const folded = (text: string, width: number): readonly string[] =>
  wrapAnsi(text, width, { hard: true, wordWrap: false, trim: false }).split("\n");

const cut = (text: string, width: number): string => folded(text.replaceAll("\n", " "), width)[0] ?? "";
