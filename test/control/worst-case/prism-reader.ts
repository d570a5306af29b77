/** A reader of the PRISM models that `formatPrism` writes: one module, an MDP with two variables, updates by constants. */
export class PrismModel {
  readonly #length: number;
  readonly #start: number;
  readonly #goal: number;
  readonly #choices = new Map<number, Choice[]>();
  readonly #values = new Map<string, number>();

  constructor(text: string) {
    this.#length = Number(one(text, /^const int length = (\d+);$/m));
    this.#start = Number(one(text, /^ {2}s : \[0\.\.\d+\] init (\d+);$/m));
    this.#goal = Number(one(text, /^label "attacked" = s=(\d+);$/m));
    for (const [, label = "", s = "", updates = ""] of text.matchAll(
      /^ {2}\[(\w+)\] s=(\d+) & t>0 -> (.*);$/gm,
    )) {
      const audits = new RegExp(`^ {2}\\[${label}\\] s=${s} : (.*);$`, "m").exec(text)?.[1] ?? "0";
      const choice = { label, audits: Number(audits), updates: updates.split(" + ").map(updateOf) };
      this.#choices.set(Number(s), [...(this.#choices.get(Number(s)) ?? []), choice]);
    }
  }

  /** The sums of the probabilities of each choice. */
  get sums(): readonly number[] {
    return [...this.#choices.values()]
      .flat()
      .map(({ updates }) => updates.reduce((sum, { probability }) => sum + probability, 0));
  }

  /** The value of `Pmax=? [ F "attacked" ]`. */
  pmax(): number {
    return this.#pmax(this.#start, this.#length);
  }

  /** The expected reward "audits" of the policy that always takes the choice `honest`. */
  honestAudits(s = this.#start, t = this.#length): number {
    const choice = this.#choices.get(s)?.find(({ label }) => label === "honest");
    if (choice === undefined || t === 0) return 0;
    return choice.updates.reduce(
      (sum, { probability, to, steps }) => sum + probability * this.honestAudits(to, t - steps),
      choice.audits,
    );
  }

  #pmax(s: number, t: number): number {
    if (s === this.#goal) return 1;
    const known = this.#values.get(`${s} ${t}`);
    if (known !== undefined || t === 0) return known ?? 0;
    const values = (this.#choices.get(s) ?? []).map(({ updates }) =>
      updates.reduce((sum, { probability, to, steps }) => sum + probability * this.#pmax(to, t - steps), 0),
    );
    const value = Math.max(0, ...values);
    this.#values.set(`${s} ${t}`, value);
    return value;
  }
}

interface Choice {
  readonly label: string;
  readonly audits: number;
  readonly updates: readonly Update[];
}

interface Update {
  readonly probability: number;
  readonly to: number;
  readonly steps: number;
}

function updateOf(text: string): Update {
  const [, probability, to, next] = /^([\d.e-]+):\(s'=(\d+)\)(&\(t'=t-1\))?$/.exec(text) ?? [];
  if (to === undefined) throw new Error(`Expected an update, got ${text}.`);
  return { probability: Number(probability), to: Number(to), steps: next === undefined ? 0 : 1 };
}

function one(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`Expected ${pattern} in the model.`);
  return found;
}
