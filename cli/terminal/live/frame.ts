import ansiEscapes from "ansi-escapes";
import stringWidth from "string-width";
import type { Output } from "../../io.ts";

// Synchronized output: a terminal that supports it shows the frame at once.
const BEGIN = "\x1b[?2026h";
const COMMIT = "\x1b[?2026l";

// To clear from the first cell of the screen would make tmux add the frame to its history.
const ERASE_ROWS = `${ansiEscapes.eraseEndLine}${ansiEscapes.cursorDown(1)}${ansiEscapes.eraseDown}${ansiEscapes.cursorUp(1)}`;

/** Rows at the end of the output, none wider than the terminal, and the cursor's position in them. */
export interface Rows {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

const NOTHING: Rows = { rows: [], cursor: { row: 0, column: 0 } };

/** The rows below the text that are redrawn. The lines above them are never touched again. */
export class Frame {
  readonly #output: Output;
  #shown = NOTHING;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Write complete lines and the rows below them, in one write. */
  draw(lines: string, next: Rows): void {
    if (lines === "" && isSame(next, this.#shown)) return;
    const drawn = `${this.#erase()}${lines}${next.rows.join("\n")}${place(next)}`;
    this.#output.write(`${BEGIN}${ansiEscapes.cursorHide}${drawn}${ansiEscapes.cursorShow}${COMMIT}`);
    this.#shown = next;
  }

  /** Write complete lines and no rows. */
  leave(lines: string): void {
    this.#output.write(`${this.#erase()}${lines}`);
    this.#shown = NOTHING;
  }

  /** A terminal that has become narrower has wrapped the rows. */
  #erase(): string {
    const { rows, cursor } = this.#shown;
    if (rows.length === 0) return "";
    const columns = this.#output.columns ?? 80;
    const above = rows.slice(0, cursor.row).map((row) => Math.max(1, Math.ceil(stringWidth(row) / columns)));
    const up = above.reduce((sum, count) => sum + count, Math.floor(cursor.column / columns));
    return `${up > 0 ? ansiEscapes.cursorUp(up) : ""}\r${rows.length > 1 ? ERASE_ROWS : ansiEscapes.eraseDown}`;
  }
}

/** Move the cursor from the end of the last row to its position. */
function place({ rows, cursor }: Rows): string {
  if (rows.length === 0) return "";
  const up = rows.length - 1 - cursor.row;
  return `${up > 0 ? ansiEscapes.cursorUp(up) : ""}${ansiEscapes.cursorTo(cursor.column)}`;
}

const isSame = (a: Rows, b: Rows): boolean =>
  a.cursor.row === b.cursor.row &&
  a.cursor.column === b.cursor.column &&
  a.rows.length === b.rows.length &&
  a.rows.every((row, index) => row === b.rows[index]);
