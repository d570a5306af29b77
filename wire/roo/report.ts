import type { RooFile } from "./error.ts";

/**
 * Why something was changed: the law that what came does not hold, `format` where it has not the form that is
 * documented for it, or `hidden` where the frozen product itself would not send it any more.
 */
export type MendedRule = "L3" | "L4" | "L5" | "L6" | "L8" | "format" | "hidden";

/** One thing that was mended. `index` is the place in the file's list, from 0; `what` is one sentence. */
export interface Mended {
  readonly file: RooFile;
  readonly index: number;
  readonly rule: MendedRule;
  readonly what: string;
}

/** Takes down what is mended in one file. */
export class Report {
  readonly #file: RooFile;
  readonly #found: Mended[] = [];
  readonly #counted = new Map<
    string,
    { index: number; rule: MendedRule; times: number; say: (times: number) => string }
  >();

  constructor(file: RooFile) {
    this.#file = file;
  }

  add(index: number, rule: MendedRule, what: string): void {
    this.#found.push({ file: this.#file, index, rule, what });
  }

  /** What happens to most rows of a file is told once, with its number, at the first of them. */
  count(index: number, rule: MendedRule, key: string, say: (times: number) => string): void {
    const known = this.#counted.get(key);
    if (known === undefined) this.#counted.set(key, { index, rule, times: 1, say });
    else known.times += 1;
  }

  /** In the order of the file. */
  all(): readonly Mended[] {
    const counted = [...this.#counted.values()].map(({ index, rule, times, say }) => ({
      file: this.#file,
      index,
      rule,
      what: say(times),
    }));
    return [...this.#found, ...counted].sort((a, b) => a.index - b.index);
  }
}
