/** A word of a command line, without quotes. */
export interface Word {
  readonly text: string;
  /** Whether it has a part that is only known at run time: a variable, a substitution, a pattern. */
  readonly isDynamic: boolean;
  /** Whether that part is more than a pattern for names of files: the word may become any text. */
  readonly isOpen: boolean;
}

/** A simple command of a command line. */
export interface SimpleCommand {
  /** Its text in the line. */
  readonly raw: string;
  readonly words: readonly Word[];
}

/** A parsed command line. */
export interface ParsedCommandLine {
  readonly parts: readonly SimpleCommand[];
  /** Descriptions of syntax that can't be judged statically: the user is always asked. */
  readonly unsupported: readonly string[];
  /** Files that output is redirected to. */
  readonly writes: readonly string[];
  /** The targets of all redirects. */
  readonly targets: readonly Word[];
}

/** Maximum nesting of substitutions. */
const DEPTH_MAX = 20;
/** Blanks at both ends. Others, such as a carriage return, belong to a word. */
const BLANKS = /^[ \t\n]+|[ \t\n]+$/g;
/** Shells differ in whether it separates words. */
const OTHER_BLANK = /[^\S \t\n]/;
/** Keywords that precede a command. */
export const KEYWORDS: ReadonlySet<string> = new Set([
  ...["if", "then", "else", "elif", "do", "while", "until", "!", "{", "time"],
]);
/** Redirects to these change no file. */
const HARMLESS = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

/**
 * Split a `/bin/sh` command line into simple commands: at `&&`, `||`, `;`, `|`, `&` and line breaks, in subshells, groups
 * and substitutions. Anything that is not known to be a simple command is unsupported syntax.
 */
export function splitCommand(line: string): ParsedCommandLine {
  const parsed: ParsedParts = { parts: [], unsupported: new Set(), writes: [], targets: [] };
  if (line.includes("\0")) parsed.unsupported.add("a NUL character");
  if (/[<>&|$;(]\\\n/.test(line)) parsed.unsupported.add("an operator that is continued on the next line");
  new Reader(line, parsed, 0).readAll();
  return { ...parsed, unsupported: [...parsed.unsupported] };
}

interface ParsedParts {
  readonly parts: SimpleCommand[];
  readonly unsupported: Set<string>;
  readonly writes: string[];
  readonly targets: Word[];
}

interface UnfinishedWord {
  text: string;
  isDynamic: boolean;
  isOpen: boolean;
  readonly from: number;
}

class Reader {
  readonly #line: string;
  readonly #parsed: ParsedParts;
  readonly #depth: number;
  #at = 0;
  #from = 0;
  #words: Word[] = [];
  #word: UnfinishedWord | undefined;
  /** The redirect operator before the next word. */
  #redirect: string | undefined;

  constructor(line: string, parsed: ParsedParts, depth: number) {
    this.#line = line;
    this.#parsed = parsed;
    this.#depth = depth;
    if (depth > DEPTH_MAX) {
      parsed.unsupported.add("substitutions nested too deeply");
      this.#at = line.length;
    }
  }

  readAll(): void {
    while (this.#at < this.#line.length) {
      this.#readList();
      // A list ends before the line does only at an unbalanced parenthesis.
      if (this.#at < this.#line.length) {
        this.#parsed.unsupported.add("an unbalanced parenthesis");
        this.#at += 1;
        this.#from = this.#at;
      }
    }
  }

  /** Read up to the closing parenthesis or the end. */
  #readList(): void {
    this.#from = this.#at;
    while (this.#at < this.#line.length && this.#line[this.#at] !== ")") this.#readNext();
    this.#endPart(this.#at);
  }

  #readNext(): void {
    const char = this.#line[this.#at] ?? "";
    if (char === " " || char === "\t") {
      this.#endWord();
      this.#at += 1;
    } else if (char === "#" && this.#word === undefined) {
      const end = this.#line.indexOf("\n", this.#at);
      this.#at = end < 0 ? this.#line.length : end;
    } else if (char === "<" || char === ">") this.#readRedirect();
    else if ("\n;&|".includes(char)) this.#readSeparator();
    else if (char === "(") this.#readSubshell();
    else this.#readWordPiece(char);
  }

  #readSeparator(): void {
    this.#endPart(this.#at);
    this.#at += 1;
    this.#from = this.#at;
  }

  #readSubshell(): void {
    // A function, an array or a glob qualifier: the meaning depends on the shell.
    if (this.#word !== undefined) this.#parsed.unsupported.add("a parenthesis inside a word");
    const before = this.#words.at(-1)?.text;
    if (before !== undefined && !KEYWORDS.has(before)) this.#parsed.unsupported.add("a function");
    if (this.#line[this.#at + 1] === "(") this.#parsed.unsupported.add("an arithmetic command");
    this.#endPart(this.#at);
    this.#readNested();
    this.#from = this.#at;
  }

  /** Read from an opening parenthesis past its closing one. */
  #readNested(): void {
    const inner = new Reader(this.#line, this.#parsed, this.#depth + 1);
    inner.#at = Math.max(inner.#at, this.#at + 1);
    inner.#readList();
    this.#at = inner.#at;
    if (this.#line[this.#at] === ")") this.#at += 1;
    else this.#parsed.unsupported.add("an unbalanced parenthesis");
  }

  #readRedirect(): void {
    const digits = this.#word;
    // Quoted digits are an argument.
    if (digits !== undefined && /^\d+$/.test(this.#textSince(digits.from))) this.#word = undefined;
    if (/(^|[^&])&$/.test(this.#line.slice(Math.max(this.#at - 2, 0), this.#at)))
      this.#parsed.unsupported.add("the operator &>, which depends on the shell");
    this.#endWord();
    const operator =
      /^(<<<|<<-?|<>|<&|>>|>&|>\||<|>)/.exec(this.#line.slice(this.#at, this.#at + 3))?.[0] ?? "<";
    this.#at += operator.length;
    if (operator.startsWith("<<")) this.#parsed.unsupported.add("a here-document");
    if (this.#line[this.#at] === "(") this.#readNested();
    else this.#redirect = operator;
  }

  /** The text since a position, as it is without line continuations. */
  #textSince(from: number): string {
    return this.#line.slice(from, this.#at).replaceAll("\\\n", "");
  }

  #readWordPiece(char: string): void {
    this.#word ??= { text: "", isDynamic: false, isOpen: false, from: this.#at };
    const word = this.#word;
    if (char === "\\") this.#readEscape(word);
    else if (char === "'") this.#readSingle(word);
    else if (char === '"') this.#readDouble(word);
    else if (char === "`") this.#readBackticks(word, false);
    else if (char === "$") this.#readDollar(word, false);
    else {
      if ("*?[{".includes(char)) word.isDynamic = true;
      if (char === "{") word.isOpen = true;
      if (OTHER_BLANK.test(char)) this.#parsed.unsupported.add("a blank that only some shells split at");
      word.text += char;
      this.#at += 1;
    }
  }

  #readEscape(word: UnfinishedWord): void {
    const next = this.#line[this.#at + 1];
    this.#at += 2;
    if (next === undefined) this.#parsed.unsupported.add("a backslash at the end");
    else if (next !== "\n") word.text += next;
    // A line continuation doesn't start a word.
    else if (word.text === "" && word.from === this.#at - 2) this.#word = undefined;
  }

  #readSingle(word: UnfinishedWord): void {
    const end = this.#line.indexOf("'", this.#at + 1);
    if (end < 0) this.#parsed.unsupported.add("a quote that is not closed");
    word.text += this.#line.slice(this.#at + 1, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#line.length : end + 1;
  }

  #readDouble(word: UnfinishedWord): void {
    this.#at += 1;
    for (;;) {
      const char = this.#line[this.#at];
      if (char === undefined) {
        this.#parsed.unsupported.add("a quote that is not closed");
        return;
      }
      if (char === '"') {
        this.#at += 1;
        return;
      }
      this.#readQuoted(word, char);
    }
  }

  #readQuoted(word: UnfinishedWord, char: string): void {
    if (char === "`") this.#readBackticks(word, true);
    else if (char === "$") this.#readDollar(word, true);
    else if (char === "\\") {
      const next = this.#line[this.#at + 1] ?? "";
      if ('$`"\\'.includes(next)) word.text += next;
      else if (next !== "\n") word.text += char + next;
      this.#at += 2;
    } else {
      word.text += char;
      this.#at += 1;
    }
  }

  #readBackticks(word: UnfinishedWord, quoted: boolean): void {
    word.isDynamic = true;
    word.isOpen = true;
    let inner = "";
    let at = this.#at + 1;
    while (at < this.#line.length && this.#line[at] !== "`") {
      const next = this.#line[at + 1] ?? "";
      const escapes = this.#line[at] === "\\" && (quoted ? '$`\\"' : "$`\\").includes(next) && next !== "";
      inner += escapes ? next : (this.#line[at] ?? "");
      at += escapes ? 2 : 1;
    }
    if (at >= this.#line.length) this.#parsed.unsupported.add("a backtick that is not closed");
    new Reader(inner, this.#parsed, this.#depth + 1).readAll();
    this.#at = at + 1;
  }

  #readDollar(word: UnfinishedWord, quoted: boolean): void {
    const next = this.#line[this.#at + 1] ?? "";
    if (next === "(") {
      word.isDynamic = true;
      word.isOpen = true;
      if (this.#line[this.#at + 2] === "(") this.#parsed.unsupported.add("an arithmetic expansion");
      this.#at += 1;
      this.#readNested();
      return;
    }
    if (next === "{") {
      const plain = /^\$\{[A-Za-z_]\w*\}/.exec(this.#line.slice(this.#at, this.#at + 200))?.[0];
      if (plain === undefined) this.#parsed.unsupported.add("a parameter expansion that computes");
      this.#take(word, plain ?? "${");
      return;
    }
    if ((next === "'" || next === '"') && !quoted)
      this.#parsed.unsupported.add("a quote after a dollar sign");
    if (next === "[") this.#parsed.unsupported.add("an arithmetic expansion");
    this.#take(word, "$");
  }

  #take(word: UnfinishedWord, text: string): void {
    word.isDynamic = true;
    word.isOpen = true;
    word.text += text;
    this.#at += text.length;
  }

  #endWord(): void {
    const word = this.#word;
    if (word === undefined) return;
    this.#word = undefined;
    const operator = this.#redirect;
    this.#redirect = undefined;
    const { text, isDynamic, isOpen } = word;
    if (operator === undefined) this.#words.push({ text, isDynamic, isOpen });
    else {
      this.#parsed.targets.push({ text, isDynamic, isOpen });
      if (isWrite(operator, word)) this.#parsed.writes.push(text);
    }
  }

  #endPart(end: number): void {
    this.#endWord();
    this.#redirect = undefined;
    if (this.#words.length > 0) {
      const raw = this.#line.slice(this.#from, end).replaceAll("\\\n", "").replace(BLANKS, "");
      this.#parsed.parts.push({ raw, words: this.#words });
      this.#words = [];
    }
  }
}

function isWrite(operator: string, { text, isDynamic }: UnfinishedWord): boolean {
  if (operator === "<" || operator.startsWith("<<")) return false;
  if (operator.endsWith("&") && /^(\d+|-)$/.test(text)) return false;
  return isDynamic || !HARMLESS.has(text);
}
