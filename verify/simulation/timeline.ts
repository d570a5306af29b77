/** What is to happen, and when. */
interface Planned<T> {
  readonly at: number;
  readonly by: string;
  readonly what: T;
}

/** A simulated clock: what is planned happens in the order of its moments, and time stands still in between. */
export class Timeline<T> {
  /** As it was planned: of what is due at the same moment, the first comes first. */
  #planned: Planned<T>[] = [];
  #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  /** Milliseconds since 1970, as they are simulated. */
  get now(): number {
    return this.#now;
  }

  /** `by` is who plans it: {@link stop} takes back what they planned. */
  plan(by: string, afterMs: number, what: T): void {
    this.#planned.push({ at: this.#now + Math.max(0, afterMs), by, what });
  }

  /** Forgets what `by` planned, but for what `stays` says is on its way. */
  stop(by: string, stays: () => boolean): void {
    this.#planned = this.#planned.filter((one) => one.by !== by || stays());
  }

  /** Forgets all. */
  clear(): void {
    this.#planned = [];
  }

  /** Lets time go on while nothing happens. */
  pass(ms: number): void {
    this.#now += ms;
  }

  /** Lets time go on to the next thing, and gives it. */
  next(): T | undefined {
    let first: Planned<T> | undefined;
    for (const one of this.#planned) if (first === undefined || one.at < first.at) first = one;
    if (first === undefined) return undefined;
    this.#planned.splice(this.#planned.indexOf(first), 1);
    this.#now = Math.max(this.#now, first.at);
    return first.what;
  }
}
