/** The prefix of the lines of a block: `first` of its first line, `rest` of the others. */
interface Prefix {
  readonly first: string;
  readonly rest: string;
  isUsed: boolean;
}

/** A mark that is written before the next text, such as the mark of a link. */
interface Mark {
  readonly text: string;
  isWritten: boolean;
}

/** Writes text in Markdown: lines with prefixes, white space as in HTML, and marks around what is not empty. */
export class MarkdownWriter {
  readonly #maxChars: number;
  readonly #parts: string[] = [];
  readonly #prefixes: Prefix[] = [];
  #marks: Mark[] = [];
  /** Line breaks before the next text: 0, 1, or 2 for a blank line. */
  #gap = 0;
  #hasSpace = false;
  #isAtStart = true;
  #isHeld = false;
  #length = 0;

  /** @param maxChars what is longer is left out */
  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** Characters that are written. */
  get length(): number {
    return this.#length;
  }

  /** Whether the text is longer than the maximum. */
  get isFull(): boolean {
    return this.#length > this.#maxChars;
  }

  /** Text with collapsed white space. */
  text(text: string): void {
    const [first = "", ...others] = text.split(/[ \t\n\r\f]+/);
    this.#word(first);
    for (const word of others) {
      this.#hasSpace = true;
      this.#word(word);
    }
  }

  /** A word of its own. */
  separate(word: string): void {
    this.#hasSpace = true;
    this.#word(word);
    this.#hasSpace = true;
  }

  /** Lines as they are. They begin in a new line: call {@link break} before. */
  lines(text: string): void {
    for (const line of text.split(/\r?\n/)) {
      this.#begin();
      this.#write(line);
      this.break(1);
    }
  }

  /** The next text begins a line, with a blank one before it if `lines` is 2. */
  break(lines: 1 | 2): void {
    if (this.#isHeld) return;
    if (!this.#isAtStart) this.#gap = Math.max(this.#gap, lines);
    this.#hasSpace = false;
  }

  /** Ignore breaks until the next text, or the end of the hold. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
  }

  /** Keep the next text in the line of the text before. */
  joinLine(): void {
    this.#gap = 0;
  }

  /** Begin a block with a prefix on each line. */
  open(first: string, rest: string): void {
    this.#prefixes.push({ first, rest, isUsed: false });
  }

  /** End the newest block. */
  close(): void {
    this.#prefixes.pop();
  }

  /** A mark before the next text. Returns the function that writes the mark at its end, if there was text. */
  mark(text: string): (end: string) => void {
    const mark: Mark = { text, isWritten: false };
    this.#marks.push(mark);
    return (end) => {
      if (mark.isWritten) this.#write(end);
      else this.#marks = this.#marks.filter((each) => each !== mark);
    };
  }

  toString(): string {
    return this.#parts.join("").slice(0, this.#maxChars);
  }

  #word(word: string): void {
    if (word === "") return;
    this.#begin();
    this.#write(word);
  }

  /** Write what is pending before a text. */
  #begin(): void {
    const isNewLine = this.#isAtStart || this.#gap > 0;
    if (this.#gap > 1) this.#write(`\n${this.#prefixes.map(blankPrefixOf).join("").trimEnd()}`);
    if (this.#gap > 0) this.#write("\n");
    if (isNewLine) this.#write(this.#prefixes.map(prefixOf).join(""));
    else if (this.#hasSpace) this.#write(" ");
    for (const mark of this.#marks) {
      this.#write(mark.text);
      mark.isWritten = true;
    }
    this.#marks = [];
    this.#gap = 0;
    this.#hasSpace = false;
    this.#isAtStart = false;
    this.#isHeld = false;
  }

  #write(text: string): void {
    if (text === "" || this.isFull) return;
    this.#parts.push(text);
    this.#length += text.length;
  }
}

function prefixOf(prefix: Prefix): string {
  const text = prefix.isUsed ? prefix.rest : prefix.first;
  prefix.isUsed = true;
  return text;
}

/** The prefix of a blank line, which does not begin a block. */
const blankPrefixOf = ({ isUsed, rest }: Prefix): string => (isUsed ? rest : "");
