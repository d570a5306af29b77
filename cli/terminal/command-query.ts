import type { Choices } from "./input/choice-menu.ts";

/** A question, with the answers that can be chosen. */
interface Query {
  readonly question: string;
  readonly choices: Choices | undefined;
}

/** The question of a slash command, which is shown before the question of an ask. */
export class CommandQuery {
  #open: (Query & { readonly answer: (line: string) => void }) | undefined;

  get open(): Query | undefined {
    return this.#open;
  }

  /** Open a question. Resolves with the line that answers it. */
  ask(question: string, choices?: Choices): Promise<string> {
    return new Promise((answer) => {
      this.#open = { question, choices, answer };
    });
  }

  /** Answer the open question; an empty line is no. Returns whether there was one. */
  answer(line: string): boolean {
    const open = this.#open;
    this.#open = undefined;
    open?.answer(line);
    return open !== undefined;
  }
}
