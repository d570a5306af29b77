import type { MenuRows } from "./menu.ts";

/** An answer to a question that can be chosen. */
export interface Choice {
  /** The line that gives the answer. */
  readonly line: string;
  /** How it is shown, on one row. */
  readonly row: string;
}

/** The answers to a question that can be chosen. */
export interface Choices {
  /** Whether they are shown at once, and filtered by the typed text. Otherwise Down shows them while none is typed. */
  readonly isList: boolean;
  readonly items: readonly Choice[];
}

export const NO_CHOICES: Choices = { isList: false, items: [] };

/** The menu above the input at a question: the answers, and the one that is chosen. */
export class ChoiceMenu {
  readonly #choices: Choices;
  #text = "";
  #items: readonly Choice[];
  #chosen: number | undefined;

  constructor(choices: Choices) {
    this.#choices = choices;
    this.#items = choices.items;
  }

  get isList(): boolean {
    return this.#choices.isList;
  }

  get isOpen(): boolean {
    return this.isList || this.#chosen !== undefined;
  }

  /** Whether the typed text leaves nothing of a list. */
  get isEmpty(): boolean {
    return this.isList && this.#items.length === 0;
  }

  get shown(): MenuRows {
    return { rows: this.isOpen ? this.#items.map(({ row }) => row) : [], chosen: this.#chosen };
  }

  get chosen(): Choice | undefined {
    return this.#chosen === undefined ? undefined : this.#items[this.#chosen];
  }

  /** Filter a list by the typed text: its first match is chosen. */
  follow(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    const { items } = this.#choices;
    const typed = text.toLowerCase();
    if (text === "") this.#items = items;
    else this.#items = this.isList ? items.filter(({ row }) => row.toLowerCase().includes(typed)) : [];
    this.#chosen = text === "" || this.#items.length === 0 ? undefined : 0;
  }

  /** Choose the next answer, or the one before; before the first one is none. Returns whether the key was used. */
  move(by: 1 | -1): boolean {
    if (this.#items.length === 0 || (by === -1 && this.#chosen === undefined)) return this.isList;
    const next = (this.#chosen ?? -1) + by;
    this.#chosen = next < 0 ? undefined : Math.min(next, this.#items.length - 1);
    return true;
  }

  /** Choose none. */
  close(): void {
    this.#chosen = undefined;
  }
}
