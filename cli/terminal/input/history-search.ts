import type { Key } from "node:readline";
import { withoutControls } from "./text-editor.ts";

/** The effect of a key. After `taken` and `passed` the match is the input, and a passed key acts on it. */
export type SearchEffect = "searching" | "left" | "taken" | "passed";

/** The line that a search shows in place of the input. */
export interface SearchLine {
  readonly question: string;
  readonly line: string;
  /** Position of the cursor, in characters of the line. */
  readonly cursor: number;
}

/** A search back through earlier input while its text is typed, as readline's. Case makes no difference. */
export class HistorySearch {
  readonly #newestFirst: readonly string[];
  #text = "";
  /** The index of the match. */
  #at = 0;
  /** Whether nothing older has the text. */
  #isFailed = false;

  constructor(newestFirst: readonly string[]) {
    this.#newestFirst = [...new Set(newestFirst)];
  }

  /** The earlier input that was found last. */
  get match(): string | undefined {
    const found = this.#newestFirst[this.#at];
    return found !== undefined && this.#isIn(found) ? found : undefined;
  }

  get shown(): SearchLine {
    const start = `\`${this.#text}': `;
    const match = this.match ?? "";
    return {
      question: this.#isFailed ? "(failed reverse-i-search)" : "(reverse-i-search)",
      line: `${start}${match}`,
      cursor: start.length + Math.max(0, positionIn(match, this.#text)),
    };
  }

  /** Ctrl-R finds the next older input, Esc, Ctrl-G and Ctrl-C leave, Enter takes the match. */
  press({ name, ctrl, meta, sequence = "" }: Key): SearchEffect {
    if (name === "escape" || (ctrl === true && (name === "g" || name === "c"))) return "left";
    if (name === "return" || name === "enter") return meta === true ? "passed" : "taken";
    if (name === "tab") return "passed";
    if (ctrl === true && name === "r") this.#find(this.#at + 1);
    else if (name === "backspace") this.#shorten();
    else if (ctrl === true || meta === true || sequence === "" || withoutControls(sequence) !== sequence)
      return "passed";
    else this.type(sequence);
    return "searching";
  }

  type(text: string): void {
    this.#text += withoutControls(text);
    this.#find(this.#at);
  }

  #shorten(): void {
    this.#text = [...this.#text].slice(0, -1).join("");
    this.#find(0);
  }

  #find(from: number): void {
    const found = this.#newestFirst.findIndex((each, index) => index >= from && this.#isIn(each));
    this.#isFailed = found === -1 && this.#text !== "";
    if (found !== -1) this.#at = found;
  }

  #isIn(input: string): boolean {
    return this.#text !== "" && positionIn(input, this.#text) !== -1;
  }
}

const positionIn = (input: string, text: string): number => input.toLowerCase().indexOf(text.toLowerCase());
