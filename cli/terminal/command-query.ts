/** The question of a slash command, which is shown before the question of an ask. */
export class CommandQuery {
  #open: { readonly question: string; readonly answer: (line: string) => void } | undefined;

  /** The open question. */
  get question(): string | undefined {
    return this.#open?.question;
  }

  /** Open a question. Resolves with the line that answers it. */
  ask(question: string): Promise<string> {
    return new Promise((answer) => {
      this.#open = { question, answer };
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
