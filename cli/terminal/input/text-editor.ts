import type { Key } from "node:readline";

/** Control characters, except tab and line feed: they are no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are the ones to find
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
/** Maximum changes that can be undone. */
const UNDO_STEPS_MAX = 1_000;
const GRAPHEMES = new Intl.Segmenter();

const withoutQuotes = (text: string): string => text.replaceAll('"', "");

/** Text of one or more lines that is edited by keys. Positions are in UTF-16 units. */
export class TextEditor {
  #text = "";
  #cursor = 0;
  /** The text that was killed last. */
  #killed = "";
  /** The text and the cursor before each change, oldest first. */
  #earlier: { readonly text: string; readonly cursor: number }[] = [];

  get text(): string {
    return this.#text;
  }

  get cursor(): number {
    return this.#cursor;
  }

  /** Replace the text. The cursor moves to its end. */
  set(text: string): void {
    const set = withoutControls(text);
    this.#change(set, set.length);
  }

  /** Start with an empty text: no earlier one can be brought back. */
  clear(): void {
    this.#text = "";
    this.#cursor = 0;
    this.#earlier = [];
  }

  /** Insert text at the cursor: typed or pasted. */
  insert(text: string): void {
    const added = withoutControls(text);
    this.#change(this.#head + added + this.#tail, this.#cursor + added.length);
  }

  /** Replace the word before the cursor by a longer one that begins with it, perhaps in quotes. */
  complete(word: string, longer: string): void {
    if (longer.length <= word.length) return;
    if (longer.startsWith(word)) this.insert(longer.slice(word.length));
    else if (withoutQuotes(longer).startsWith(withoutQuotes(word))) this.#replaceBefore(word.length, longer);
  }

  #replaceBefore(length: number, text: string): void {
    const start = this.#cursor - length;
    const added = withoutControls(text);
    this.#change(this.#text.slice(0, start) + added + this.#tail, start + added.length);
  }

  /** Handle a key that moves the cursor or changes the text. Returns false for any other key, and up at the first line. */
  press(key: Key): boolean {
    const command = commandOf(key);
    return command === undefined ? this.#type(key) : COMMANDS[command](this);
  }

  moveTo(position: number): true {
    this.#cursor = Math.max(0, Math.min(position, this.#text.length));
    return true;
  }

  /** Move to the same column of a neighboring line. Returns false if there is none. */
  moveLine(by: 1 | -1): boolean {
    const start = this.lineStart;
    const column = this.#cursor - start;
    if (by === -1 && start === 0) return false;
    if (by === 1 && this.lineEnd === this.#text.length) return false;
    const target = by === 1 ? this.lineEnd + 1 : this.#text.slice(0, start - 1).lastIndexOf("\n") + 1;
    return this.moveTo(target + Math.min(column, lineLength(this.#text, target)));
  }

  /** Delete from the cursor to a position. */
  delete(to: number): true {
    const [start, end] = to < this.#cursor ? [to, this.#cursor] : [this.#cursor, to];
    this.#change(this.#text.slice(0, start) + this.#text.slice(end), start);
    return true;
  }

  /** Delete from the cursor to a position, to be inserted again by {@link yank}. */
  kill(to: number): true {
    if (to !== this.#cursor)
      this.#killed = this.#text.slice(Math.min(to, this.#cursor), Math.max(to, this.#cursor));
    return this.delete(to);
  }

  yank(): true {
    this.insert(this.#killed);
    return true;
  }

  /** Take back the last change. */
  undo(): true {
    const { text, cursor } = this.#earlier.pop() ?? this;
    this.#text = text;
    this.#cursor = cursor;
    return true;
  }

  get left(): number {
    const last = [...GRAPHEMES.segment(this.#head)].at(-1);
    return this.#cursor - (last?.segment.length ?? 0);
  }

  get right(): number {
    const [first] = GRAPHEMES.segment(this.#tail);
    return this.#cursor + (first?.segment.length ?? 0);
  }

  get wordLeft(): number {
    return this.#cursor - (/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(this.#head)?.[0].length ?? 0);
  }

  get wordRight(): number {
    return this.#cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(this.#tail)?.[0].length ?? 0);
  }

  /** The start of the word before the cursor, which begins after a space. */
  get spacedWordLeft(): number {
    return this.#cursor - (/\S*\s*$/.exec(this.#head)?.[0].length ?? 0);
  }

  get lineStart(): number {
    return this.#head.lastIndexOf("\n") + 1;
  }

  get lineEnd(): number {
    return this.#cursor + lineLength(this.#tail, 0);
  }

  get #head(): string {
    return this.#text.slice(0, this.#cursor);
  }

  get #tail(): string {
    return this.#text.slice(this.#cursor);
  }

  #change(text: string, cursor: number): void {
    if (text !== this.#text) {
      this.#earlier.push({ text: this.#text, cursor: this.#cursor });
      if (this.#earlier.length > UNDO_STEPS_MAX) this.#earlier.shift();
    }
    this.#text = text;
    this.#cursor = cursor;
  }

  #type({ sequence = "", ctrl, meta }: Key): boolean {
    if (ctrl === true || meta === true || withoutControls(sequence) !== sequence) return false;
    this.insert(sequence);
    return true;
  }
}

type Command = keyof typeof COMMANDS;

const COMMANDS = {
  left: (editor: TextEditor) => editor.moveTo(editor.left),
  right: (editor: TextEditor) => editor.moveTo(editor.right),
  wordLeft: (editor: TextEditor) => editor.moveTo(editor.wordLeft),
  wordRight: (editor: TextEditor) => editor.moveTo(editor.wordRight),
  up: (editor: TextEditor) => editor.moveLine(-1),
  down: (editor: TextEditor) => editor.moveLine(1),
  lineStart: (editor: TextEditor) => editor.moveTo(editor.lineStart),
  lineEnd: (editor: TextEditor) => editor.moveTo(editor.lineEnd),
  deleteLeft: (editor: TextEditor) => editor.delete(editor.left),
  deleteRight: (editor: TextEditor) => editor.delete(editor.right),
  killWordLeft: (editor: TextEditor) => editor.kill(editor.spacedWordLeft),
  killWordRight: (editor: TextEditor) => editor.kill(editor.wordRight),
  killToStart: (editor: TextEditor) => editor.kill(editor.lineStart),
  killToEnd: (editor: TextEditor) =>
    // At the end of a line, its line end.
    editor.kill(editor.lineEnd === editor.cursor ? editor.right : editor.lineEnd),
  yank: (editor: TextEditor) => editor.yank(),
  undo: (editor: TextEditor) => editor.undo(),
} as const satisfies Readonly<Record<string, (editor: TextEditor) => boolean>>;

const KEYS: Readonly<Record<string, Command>> = {
  left: "left",
  right: "right",
  up: "up",
  down: "down",
  home: "lineStart",
  end: "lineEnd",
  backspace: "deleteLeft",
  delete: "deleteRight",
  "ctrl+left": "wordLeft",
  "ctrl+right": "wordRight",
  "meta+left": "wordLeft",
  "meta+right": "wordRight",
  "ctrl+a": "lineStart",
  "ctrl+b": "left",
  "ctrl+d": "deleteRight",
  "ctrl+e": "lineEnd",
  "ctrl+f": "right",
  "ctrl+h": "deleteLeft",
  "ctrl+k": "killToEnd",
  "ctrl+n": "down",
  "ctrl+p": "up",
  "ctrl+u": "killToStart",
  "ctrl+w": "killWordLeft",
  "ctrl+y": "yank",
  "ctrl+backspace": "killWordLeft",
  "meta+backspace": "killWordLeft",
  "meta+b": "wordLeft",
  "meta+d": "killWordRight",
  "meta+f": "wordRight",
};

/** The code that a terminal sends for Ctrl+_, which Node has no name for. */
const CTRL_UNDERSCORE = "\x1f";

function commandOf({ name, ctrl, meta, sequence }: Key): Command | undefined {
  if (sequence === CTRL_UNDERSCORE) return "undo";
  const key = `${ctrl === true ? "ctrl+" : ""}${meta === true ? "meta+" : ""}${name ?? ""}`;
  return Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
}

function lineLength(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return (end === -1 ? text.length : end) - start;
}

/** Text as it is typed or pasted: a line may end with `\r\n` or `\r`, as in pasted text. */
export const withoutControls = (text: string): string => text.replace(/\r\n?/g, "\n").replace(CONTROLS, "");
