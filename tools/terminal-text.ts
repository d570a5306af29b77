/** Characters that change more than the end of a line: all control characters but tabs and line feeds. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/** Maximum characters of a line that can be overwritten. Characters past it can't be overwritten. */
const LINE_MAX_CHARS = 65_536;
/** Maximum characters of the parameters of a sequence. A longer one is no sequence. */
const PARAMETERS_MAX_CHARS = 64;

/** The kind of sequence that the next characters are a part of. */
type Mode = "text" | "escape" | "intermediate" | "csi" | "string" | "stringEscape";

/** 8-bit controls, as what follows ESC in their 7-bit form. */
const C1_OFFSET = 0x40;
/** The starts of strings that are not shown: device control, start of string, operating system, privacy, application. */
const STRINGS = "PX]^_";

/** One line: text that no control character has touched, or its characters. */
interface Row {
  plain: string;
  /** Unicode characters of `plain`. */
  width: number;
  cells: string[];
}

const emptyRow = (): Row => ({ plain: "", width: 0, cells: [] });
const textOf = ({ plain, cells }: Row): string => plain + cells.join("");
const widthOf = ({ width, cells }: Row): number => width + cells.length;

/**
 * Text as a terminal shows it: without colours and other control sequences, and with overwritten parts of lines gone
 * (carriage return, backspace, erasure, cursor movements within the newest rows). The text comes in pieces, which may split
 * sequences. Takes linear time, and keeps no more than the rows that can still change.
 */
export class TerminalText {
  readonly #keptRows: number;
  readonly #rows: Row[] = [emptyRow()];
  #row = 0;
  #column = 0;
  #mode: Mode = "text";
  #parameters = "";
  /** How many characters of the first row were given out, and what they were if they have been overwritten since. */
  #given = 0;
  #overwritten: string | undefined;

  /** @param keptRows How many of the newest rows a cursor may return to. Default 1: only the line that is written. */
  constructor(keptRows = 1) {
    this.#keptRows = keptRows;
  }

  /** Returns the text that is final: whole lines, and the end of one that nothing has overwritten. */
  add(text: string): string {
    let out = "";
    // Each run of text between control characters is added as a whole.
    for (let start = 0; start < text.length; ) {
      if (this.#mode === "text") {
        const length = runLength(text, start);
        if (length > 0) {
          out += this.#write(text.slice(start, start + length));
          start += length;
          continue;
        }
      }
      out += this.#read(text.charAt(start));
      start += 1;
    }
    return out + this.#takeEnd();
  }

  /** Returns the rest. */
  end(): string {
    let out = "";
    while (this.#rows.length > 1) out += this.#takeRow();
    out += this.#takeLine();
    this.#mode = "text";
    return out;
  }

  #read(character: string): string {
    const code = character.charCodeAt(0);
    // A cancelled sequence.
    if (code === 0x18 || code === 0x1a) this.#mode = "text";
    else if (this.#mode === "string") return this.#readString(character, code);
    else if (this.#mode === "stringEscape") return this.#endString(character);
    else if (code === 0x1b) this.#mode = "escape";
    else if (code >= 0x80 && code <= 0x9f) return this.#escaped(String.fromCharCode(code - C1_OFFSET));
    else if (code < 0x20 || code === 0x7f) return this.#control(character);
    else return this.#readSequence(character, code);
    return "";
  }

  #readSequence(character: string, code: number): string {
    if (this.#mode === "escape") return this.#escaped(character);
    if (this.#mode === "text") return this.#write(character);
    if (this.#mode === "csi") this.#readParameter(character, code);
    else if (code >= 0x30) this.#mode = "text";
    return "";
  }

  #readString(character: string, code: number): string {
    if (code === 0x1b) this.#mode = "stringEscape";
    else if (code === 0x07 || code === 0x9c) this.#mode = "text";
    else if (character === "\n") {
      // It was not ended.
      this.#mode = "text";
      return this.#lineFeed();
    }
    return "";
  }

  /** The character after ESC in a string: its terminator, or another sequence, which also ends it. */
  #endString(character: string): string {
    this.#mode = "text";
    return character === "\\" ? "" : this.#escaped(character);
  }

  /** The character after ESC. */
  #escaped(character: string): string {
    this.#mode = "text";
    if (character === "[") {
      this.#mode = "csi";
      this.#parameters = "";
    } else if (STRINGS.includes(character)) this.#mode = "string";
    else if (character >= " " && character <= "/") this.#mode = "intermediate";
    else if (character === "M") this.#moveRow(-1);
    else if (character === "E") return this.#lineFeed();
    else if (character === "\u001b") this.#mode = "escape";
    else if (character === "\n") return this.#lineFeed();
    return "";
  }

  #readParameter(character: string, code: number): void {
    if (code < 0x40 && this.#parameters.length < PARAMETERS_MAX_CHARS) this.#parameters += character;
    else {
      this.#mode = "text";
      if (code >= 0x40) this.#sequence(character);
    }
  }

  #control(character: string): string {
    switch (character) {
      case "\n":
      case "\v":
      case "\f":
        return this.#lineFeed();
      case "\r":
        this.#column = 0;
        break;
      case "\b":
        this.#column = Math.max(0, this.#column - 1);
        break;
      case "\t":
        if (this.#mode === "text") return this.#write(character);
    }
    return "";
  }

  #sequence(final: string): void {
    const [first = ""] = this.#parameters.split(";");
    const count = Math.min(Number(first) || 1, LINE_MAX_CHARS);
    const length = widthOf(this.#line);
    switch (final) {
      case "A":
      case "F":
        this.#moveRow(-count);
        if (final === "F") this.#column = 0;
        break;
      case "B":
      case "E":
        this.#moveRow(count);
        if (final === "E") this.#column = 0;
        break;
      case "C":
        this.#column = Math.min(this.#column + count, Math.max(length, this.#column));
        break;
      case "D":
        this.#column = Math.max(0, this.#column - count);
        break;
      case "G":
      case "`":
        this.#column = Math.min(count - 1, length);
        break;
      case "K":
        this.#erase(first);
        break;
      case "J":
        if (first === "" || first === "0") {
          this.#erase("");
          this.#rows.splice(this.#row + 1);
        }
        break;
      case "P":
        this.#cells.splice(this.#column, count);
        break;
      case "X":
        for (let at = this.#column; at < Math.min(this.#column + count, length); at += 1)
          this.#cells[at] = " ";
    }
  }

  /** `0`: to the end of the line; `1`: to the cursor; `2`: all of it. */
  #erase(part: string): void {
    const cells = this.#cells;
    if (part === "" || part === "0") cells.splice(this.#column);
    else if (part === "1") cells.fill(" ", 0, this.#column);
    else if (part === "2") cells.length = 0;
  }

  #write(run: string): string {
    const row = this.#line;
    if (row.cells.length === 0 && this.#column === row.width) {
      const width = charactersIn(run);
      row.plain += run;
      row.width += width;
      this.#column += width;
    } else {
      const cells = this.#cells;
      while (cells.length < this.#column) cells.push(" ");
      for (const character of run) {
        cells[this.#column] = character;
        this.#column += 1;
      }
    }
    return widthOf(row) > LINE_MAX_CHARS ? this.#continueLine() : "";
  }

  #lineFeed(): string {
    this.#row += 1;
    this.#column = 0;
    if (this.#row === this.#rows.length) this.#rows.push(emptyRow());
    let out = "";
    while (this.#rows.length > this.#keptRows) out += this.#takeRow();
    return out;
  }

  /** Gives out a line that is too long to be kept. It goes on. */
  #continueLine(): string {
    let out = "";
    while (this.#row > 0) out += this.#takeRow();
    return out + this.#takeLine();
  }

  #moveRow(by: number): void {
    this.#row = Math.min(Math.max(0, this.#row + by), this.#rows.length - 1);
  }

  /** The line at the cursor. */
  get #line(): Row {
    const row = this.#rows[this.#row] ?? emptyRow();
    this.#rows[this.#row] = row;
    return row;
  }

  /** The characters of the line at the cursor, for a change. */
  get #cells(): string[] {
    const row = this.#line;
    if (this.#row === 0 && this.#given > 0) this.#overwritten ??= row.plain.slice(0, this.#given);
    if (row.plain !== "") Object.assign(row, { cells: [...row.plain], plain: "", width: 0 });
    return row.cells;
  }

  /** The first row, as a line. */
  #takeRow(): string {
    const out = `${this.#rest()}\n`;
    this.#rows.shift();
    this.#row = Math.max(0, this.#row - 1);
    this.#given = 0;
    this.#overwritten = undefined;
    return out;
  }

  /** The first row. What follows is written after it. */
  #takeLine(): string {
    const out = this.#rest();
    this.#rows[0] = emptyRow();
    [this.#column, this.#given, this.#overwritten] = [0, 0, undefined];
    return out;
  }

  /** The first row, without what was given out of it. One that was overwritten since is given out again, as a line. */
  #rest(): string {
    const text = textOf(this.#rows[0] ?? emptyRow());
    const before = this.#overwritten;
    if (before === undefined) return text.slice(this.#given);
    if (text.startsWith(before)) return text.slice(before.length);
    return text === "" ? "" : `\n${text}`;
  }

  /** The end of the line that is written, while only text was added to it. */
  #takeEnd(): string {
    const [first = emptyRow()] = this.#rows;
    const isPlain = first.cells.length === 0 && this.#overwritten === undefined;
    if (this.#keptRows > 1 || !isPlain || this.#column < first.width) return "";
    const rest = first.plain.slice(this.#given);
    this.#given = first.plain.length;
    return rest;
  }
}

const charactersIn = (text: string): number =>
  /[\ud800-\udbff]/.test(text) ? [...text].length : text.length;

/** The number of characters before the next control character. */
function runLength(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x20 ? code !== 0x09 : code >= 0x7f && code <= 0x9f) return at - start;
  }
  return text.length - start;
}

/** Rows that a cursor may return to in a whole text. */
const KEPT_ROWS = 100;

/** A whole text as a terminal shows it. See {@link TerminalText}. */
export function terminalText(text: string): string {
  if (!CONTROL.test(text)) return text;
  const terminal = new TerminalText(KEPT_ROWS);
  return terminal.add(text) + terminal.end();
}
