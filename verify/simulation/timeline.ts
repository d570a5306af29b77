interface ScheduledItem<T> {
  readonly at: number;
  readonly source: string;
  readonly event: T;
}

/** A simulated clock with a queue of scheduled events. Time advances only to the next event. */
export class Timeline<T> {
  /** In the order of scheduling: events due at the same time keep it. */
  #scheduled: ScheduledItem<T>[] = [];
  #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  /** Simulated time, in milliseconds since 1970. */
  get now(): number {
    return this.#now;
  }

  /** Schedule an event of a source. */
  schedule(source: string, afterMs: number, event: T): void {
    this.#scheduled.push({ at: this.#now + Math.max(0, afterMs), source, event });
  }

  /** Remove the events of a source, except those that `keeps` selects. */
  cancel(source: string, keeps: () => boolean): void {
    this.#scheduled = this.#scheduled.filter((one) => one.source !== source || keeps());
  }

  clear(): void {
    this.#scheduled = [];
  }

  /** Advance the time. */
  advance(ms: number): void {
    this.#now += ms;
  }

  /** Advance the time to the next event and return it. */
  next(): T | undefined {
    let first: ScheduledItem<T> | undefined;
    for (const one of this.#scheduled) if (first === undefined || one.at < first.at) first = one;
    if (first === undefined) return undefined;
    this.#scheduled.splice(this.#scheduled.indexOf(first), 1);
    this.#now = Math.max(this.#now, first.at);
    return first.event;
  }
}
