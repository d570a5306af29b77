import type { Key } from "node:readline";
import { printable } from "../../../client/printable/printable.ts";
import { errorMessage } from "../../error.ts";
import type { Io } from "../../io.ts";
import type { Completion } from "../completion.ts";
import { editText, type ProgramOptions } from "../user-program.ts";
import { ChoiceMenu, NO_CHOICES } from "./choice-menu.ts";
import { HistorySearch } from "./history-search.ts";
import { Keyboard } from "./keyboard.ts";
import type { LineListener, LineSource } from "./line-source.ts";
import { Menu, NO_ITEMS } from "./menu.ts";
import type { PromptHistory } from "./prompt-history.ts";
import type { PromptScreen } from "./prompt-screen.ts";
import { Recall } from "./recall.ts";
import { TextEditor } from "./text-editor.ts";

/** Two presses of Esc in a short time are one key. */
const TWO_ESCAPES = "\x1b\x1b";
const NO_COMPLETION: Completion = { word: "", candidates: [] };

/**
 * The input of a person at a terminal. A question that comes while text is typed is shown after it: text that was started before
 * its question is no answer to it (L7).
 */
export class Prompt implements LineSource {
  readonly #screen: PromptScreen;
  readonly #listener: LineListener;
  readonly #history: PromptHistory;
  readonly #env: Io["env"];
  readonly #keyboard: Keyboard;
  readonly #editor = new TextEditor();
  readonly #closing = new AbortController();
  readonly #menu: Menu;
  /** The answers to the question. */
  #choices = new ChoiceMenu(NO_CHOICES);
  #recall: Recall;
  /** The search that is open, above the text that was typed before. */
  #search: HistorySearch | undefined;
  #question: string | undefined;
  #isShown = false;
  #isAway = false;
  #isOver = false;
  /** Whether the last key was an Esc that interrupted nothing, while no text was typed. */
  #isEscaped = false;
  /** Whether the candidates of a completion are shown. */
  #isListing = false;

  constructor(io: Io, screen: PromptScreen, listener: LineListener, history: PromptHistory) {
    this.#screen = screen;
    this.#listener = listener;
    this.#history = history;
    this.#env = io.env;
    this.#recall = new Recall(history.newestFirst());
    this.#menu = new Menu(
      (head) => listener.menu?.(head) ?? Promise.resolve(NO_ITEMS),
      () => this.#draw(),
    );
    this.#keyboard = new Keyboard(io, {
      key: (key) => this.#press(key),
      paste: (text) => this.#paste(text),
      resumed: () => this.#comeBack(),
      end: () => this.#finish(),
    });
    this.#draw();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether another program has the terminal. */
  get isAway(): boolean {
    return this.#isAway;
  }

  ask(question: string, choices = NO_CHOICES): void {
    this.#question = question;
    this.#choices = new ChoiceMenu(choices);
    this.#isShown = false;
    this.#notice();
  }

  withdraw(): void {
    this.#question = undefined;
    // A partly typed answer is dropped with its question.
    if (this.#isShown) this.#editor.clear();
    this.#isShown = false;
    this.#draw();
  }

  close(): void {
    if (this.#isOver) return;
    this.#question = undefined;
    this.#isShown = false;
    this.#search = undefined;
    this.#editor.clear();
    this.#draw();
    this.#isOver = true;
    this.#closing.abort();
    this.#keyboard.close();
  }

  /** Leave the terminal to a program. A failure is reported to the user; then there is no result. */
  async leaveTo<T>(run: (options: ProgramOptions) => Promise<T>): Promise<T | undefined> {
    if (this.#isAway || this.#isOver) return undefined;
    this.#isAway = true;
    this.#screen.pause();
    this.#keyboard.pause();
    try {
      return await run({ env: this.#env, signal: this.#closing.signal });
    } catch (error) {
      if (!this.#isOver) this.#listener.report(printable(errorMessage(error)));
      return undefined;
    } finally {
      this.#isAway = false;
      this.#comeBack();
    }
  }

  #comeBack(): void {
    this.#screen.resume();
    if (this.#isOver) return;
    this.#keyboard.resume();
    this.#notice();
  }

  #press(key: Key): void {
    if (this.#isOver) return;
    this.#hideCandidates();
    if (this.#search !== undefined && this.#pressInSearch(this.#search, key)) return;
    if (isNewLine(key)) this.#editor.insert("\n");
    else if (isShiftTab(key)) this.#listener.shiftTab();
    else this.#pressNamed(key);
    this.#notice();
  }

  #pressNamed(key: Key): void {
    const name = `${key.ctrl === true ? "ctrl+" : ""}${key.name ?? ""}`;
    const isEscaped = this.#isEscaped;
    this.#isEscaped = false;
    if (this.#pressInMenu(name)) return;
    if (name === "return" || name === "enter") this.#take();
    else if (name === "ctrl+c") this.#interrupt();
    else if (name === "ctrl+d" && this.#editor.text === "") this.#finish();
    else if (name === "tab") void this.#complete();
    else if (name === "escape") this.#escape(isEscaped || key.sequence === TWO_ESCAPES);
    else if (name === "ctrl+z") this.#suspend();
    else if (name === "ctrl+r") this.#search = new HistorySearch(this.#history.newestFirst());
    else if (name === "ctrl+g") void this.#editElsewhere();
    else if (!this.#editor.press(key)) this.#recallBy(name);
  }

  #escape(isSecond: boolean): void {
    const isIdle = !this.#listener.escape() && this.#editor.text === "";
    if (isIdle && isSecond) this.#listener.escapeTwice?.();
    else this.#isEscaped = isIdle;
  }

  /** Arrows choose an item of the menu, Tab and Enter take the chosen one, and Esc closes the menu. Returns whether the key was used. */
  #pressInMenu(name: string): boolean {
    if (this.#isShown && this.#pressInChoices(name)) return true;
    const { chosen } = this.#menu;
    if (name === "down" || name === "ctrl+n") return this.#menu.move(1);
    if (name === "up" || name === "ctrl+p") return this.#menu.move(-1);
    if (name === "escape" && this.#menu.isOpen) this.#menu.dismiss(this.#head);
    else if (chosen !== undefined && ["tab", "return", "enter"].includes(name))
      this.#editor.complete(chosen.word, chosen.text);
    else return false;
    return true;
  }

  /** Arrows choose an answer, Enter gives it, and Esc gives none. Returns whether the key was used. */
  #pressInChoices(name: string): boolean {
    const { chosen, isOpen, isList, isEmpty } = this.#choices;
    const isEnter = name === "return" || name === "enter";
    if (name === "down" || name === "ctrl+n") return this.#choices.move(1);
    if (name === "up" || name === "ctrl+p") return this.#choices.move(-1);
    if (name === "escape" && isList) this.#take("");
    else if (name === "escape" && isOpen) this.#choices.close();
    else if (chosen !== undefined && isEnter) this.#take(chosen.line);
    else if (!isEmpty || !isEnter) return false;
    return true;
  }

  /** Returns whether the key was used. */
  #pressInSearch(search: HistorySearch, key: Key): boolean {
    const effect = search.press(key);
    if (effect !== "searching") {
      this.#search = undefined;
      if (effect !== "left" && search.match !== undefined) this.#bringBack(search.match);
      if (effect === "passed") return false;
    }
    this.#notice();
    return true;
  }

  /** The text before the cursor. */
  get #head(): string {
    return this.#editor.text.slice(0, this.#editor.cursor);
  }

  /** At the first and the last line, up and down recall earlier input. */
  #recallBy(name: string): void {
    const isOlder = name === "up" || name === "ctrl+p";
    if (!isOlder && name !== "down" && name !== "ctrl+n") return;
    const text = isOlder ? this.#recall.older(this.#editor.text) : this.#recall.newer();
    if (text !== undefined) this.#bringBack(text);
  }

  #bringBack(text: string): void {
    this.#editor.set(text);
    // The arrows go on with the earlier input.
    this.#menu.dismiss(this.#head);
  }

  #paste(text: string): void {
    if (this.#isOver) return;
    if (this.#search === undefined) this.#editor.insert(text);
    else this.#search.type(text);
    this.#notice();
  }

  async #editElsewhere(): Promise<void> {
    const edited = await this.leaveTo((options) => editText(this.#editor.text, "text.md", options));
    if (edited === undefined) return;
    this.#editor.set(edited);
    this.#notice();
  }

  #suspend(): void {
    this.#screen.pause();
    this.#keyboard.suspend();
  }

  /** Handle a change of the input or a new question. The question is shown once no text is being typed. */
  #notice(): void {
    if (this.#isOver) return;
    const isTyping = this.#editor.text !== "" || this.#search !== undefined;
    if (this.#question !== undefined && !isTyping) this.#isShown = true;
    this.#draw();
  }

  #draw(): void {
    if (this.#isAway) return;
    if (this.#search !== undefined) {
      this.#screen.typed(this.#search.shown);
      return;
    }
    const { text, cursor } = this.#editor;
    const isListing = this.#isShown && this.#choices.isList;
    this.#choices.follow(text);
    this.#menu.follow(this.#isOver || isListing ? "" : this.#head);
    this.#screen.typed({
      question: this.#isShown ? this.#question : undefined,
      line: text,
      cursor,
      menu: this.#isShown && this.#choices.isOpen ? this.#choices.shown : this.#menu.shown,
    });
  }

  /**
   * Complete the line before the cursor, unless the text changes in the meantime. Where several candidates have no longer
   * start, the first row of the menu is chosen; without a menu they are shown above the line.
   */
  async #complete(): Promise<void> {
    if (this.#listener.complete === undefined) return;
    const { text, cursor } = this.#editor;
    const line = text.slice(text.lastIndexOf("\n", cursor - 1) + 1, cursor);
    // What can't be listed, as a folder without permission, is not completed.
    const { word, candidates } = await this.#listener.complete(line).catch(() => NO_COMPLETION);
    await this.#menu.loaded();
    if (this.#isOver || this.#editor.text !== text || this.#editor.cursor !== cursor) return;
    this.#editor.complete(word, commonStart(candidates));
    if (candidates.length > 1 && !this.#menu.isOpen) {
      this.#isListing = true;
      this.#screen.transient(printable(candidates.join("  ")));
    } else if (this.#editor.text === text) this.#menu.move(1);
    this.#notice();
  }

  /** The candidates for the text before the next key. */
  #hideCandidates(): void {
    if (this.#isListing) this.#screen.transient("");
    this.#isListing = false;
  }

  /** Take the typed text, or the line that was chosen. */
  #take(chosen?: string): void {
    const text = chosen ?? this.#editor.text;
    const isAnswer = this.#isShown;
    this.#screen.taken(isAnswer ? this.#question : undefined, text);
    if (isAnswer) this.#question = undefined;
    this.#isShown = false;
    this.#editor.clear();
    if (chosen === undefined) this.#history.add(text);
    this.#recall = new Recall(this.#history.newestFirst());
    this.#listener.line(text, isAnswer);
  }

  #interrupt(): void {
    this.#editor.clear();
    this.#notice();
    this.#listener.interrupt();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.close();
    this.#listener.end();
  }
}

const isShiftTab = ({ name, shift }: Key): boolean => name === "tab" && shift === true;

/** Alt+Enter and Shift+Enter, also as terminals with the `CSI u` encoding of keys send them. */
function isNewLine({ name, meta, shift, sequence = "" }: Key): boolean {
  if (name === "return" || name === "enter") return meta === true || shift === true;
  return sequence === "\x1b[13;2u" || sequence === "\x1b[13;3u";
}

/** The common start of all texts. */
function commonStart([first = "", ...others]: readonly string[]): string {
  let length = first.length;
  while (!others.every((each) => each.startsWith(first.slice(0, length)))) length -= 1;
  return first.slice(0, length);
}
