import type { RooFile } from "./error.ts";

/**
 * Reason for a repair: the violated law, `format` for a value of another form than Roo Code documents, or `hidden` for an
 * entry that Roo Code itself no longer sends.
 */
export type RepairRule = "L3" | "L4" | "L5" | "L6" | "L8" | "format" | "hidden";

/** One repair. `index` is the position in the file's list, from 0; `what` is one sentence. */
export interface Repair {
  readonly file: RooFile;
  readonly index: number;
  readonly rule: RepairRule;
  readonly what: string;
}

/** Collects the repairs of one file. */
export class Report {
  readonly #file: RooFile;
  readonly #repairs: Repair[] = [];
  readonly #counted = new Map<string, { index: number; rule: RepairRule; times: number }>();

  constructor(file: RooFile) {
    this.#file = file;
  }

  add(index: number, rule: RepairRule, what: string): void {
    this.#repairs.push({ file: this.#file, index, rule, what });
  }

  /** Add a frequent repair: it is reported once, at its first index, with a count. */
  count(index: number, rule: RepairRule, what: string): void {
    const known = this.#counted.get(what);
    if (known === undefined) this.#counted.set(what, { index, rule, times: 1 });
    else known.times += 1;
  }

  /** All repairs, in the order of the file. */
  all(): readonly Repair[] {
    const counted = Array.from(this.#counted, ([what, { index, rule, times }]) => ({
      file: this.#file,
      index,
      rule,
      what: `${what}: ${times}.`,
    }));
    return [...this.#repairs, ...counted].sort((a, b) => a.index - b.index);
  }
}
