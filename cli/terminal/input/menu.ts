/** A text that can replace a word of the input. */
export interface MenuItem {
  readonly text: string;
  /** How it is shown, on one row. */
  readonly row: string;
}

/** The items that can replace the word before the cursor. */
export interface MenuItems {
  readonly word: string;
  readonly items: readonly MenuItem[];
}

/** The rows of a menu. */
export interface MenuRows {
  readonly rows: readonly string[];
  /** The index of the chosen one. */
  readonly chosen: number | undefined;
}

export const NO_ITEMS: MenuItems = { word: "", items: [] };

/** The menu above the input: the items for the text before the cursor, and the one that is chosen. */
export class Menu {
  readonly #load: (head: string) => Promise<MenuItems>;
  readonly #changed: () => void;
  /** The text before the cursor. */
  #head = "";
  /** The text that the items are for: an earlier one until its own items are loaded. */
  #loadedHead = "";
  #loaded = NO_ITEMS;
  /** Resolves once the newest items are loaded. */
  #loading = Promise.resolve();
  #chosen: number | undefined;

  /** @param changed called once the items of a new text are loaded */
  constructor(load: (head: string) => Promise<MenuItems>, changed: () => void) {
    this.#load = load;
    this.#changed = changed;
  }

  get shown(): MenuRows {
    return { rows: this.#loaded.items.map(({ row }) => row), chosen: this.#chosen };
  }

  /** Whether the menu has an item to choose, other than the typed word. */
  get isOpen(): boolean {
    const { word, items } = this.#loaded;
    return this.#loadedHead === this.#head && items.some(({ text }) => text !== word);
  }

  /** The chosen item, with the word that it replaces. */
  get chosen(): { readonly word: string; readonly text: string } | undefined {
    const item = this.#chosen === undefined ? undefined : this.#loaded.items[this.#chosen];
    return item && { word: this.#loaded.word, text: item.text };
  }

  /** Show the items for a text before the cursor. The earlier ones stay until they are loaded. */
  follow(head: string): void {
    if (head === this.#head) return;
    this.#head = head;
    this.#chosen = undefined;
    if (head === "") this.dismiss(head);
    else this.#loading = this.#loadFor(head);
  }

  /** Resolves once the items of the text are loaded. */
  loaded(): Promise<void> {
    return this.#loading;
  }

  async #loadFor(head: string): Promise<void> {
    // What can't be listed, as a folder without permission, has no items.
    const loaded = await this.#load(head).catch(() => NO_ITEMS);
    // The text may have changed, or the menu was closed for it.
    if (this.#head !== head || this.#loadedHead === head) return;
    this.#loadedHead = head;
    this.#loaded = loaded;
    this.#changed();
  }

  /** Choose the next item, or the one before; before the first one is none. Returns whether anything changed. */
  move(by: 1 | -1): boolean {
    const last = this.#loaded.items.length - 1;
    if (!this.isOpen || (by === -1 && this.#chosen === undefined)) return false;
    const next = (this.#chosen ?? -1) + by;
    this.#chosen = next < 0 ? undefined : Math.min(next, last);
    return true;
  }

  /** Show nothing for this text. */
  dismiss(head: string): void {
    this.#head = head;
    this.#loadedHead = head;
    this.#loaded = NO_ITEMS;
    this.#chosen = undefined;
  }
}
