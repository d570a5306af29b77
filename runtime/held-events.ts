/** An event that waits. */
export interface HeldEvent {
  readonly type: string;
}

/**
 * What is held at one moment, the next one first. It stays as it was then, whatever is held later, and costs the same
 * to make however many there are (L17).
 */
export class HeldEvents implements Iterable<HeldEvent> {
  readonly #line: readonly HeldEvent[];
  readonly #from: number;
  readonly length: number;

  constructor(line: readonly HeldEvent[] = [], from = 0) {
    this.#line = line;
    this.#from = from;
    this.length = line.length - from;
  }

  /** The event of this place in the line, from 0; undefined where none waits. */
  at(place: number): HeldEvent | undefined {
    const event = place < 0 || place >= this.length ? undefined : this.#line[this.#from + place];
    // Only its type: when it passes is decided elsewhere.
    return event && { type: event.type };
  }

  *[Symbol.iterator](): Iterator<HeldEvent> {
    for (let place = 0; place < this.length; place++) {
      const event = this.at(place);
      if (event !== undefined) yield event;
    }
  }

  /** As of an array. */
  map<T>(made: (event: HeldEvent) => T): T[] {
    return Array.from(this, (event) => made(event));
  }
}

interface Waiting extends HeldEvent {
  readonly deliver: () => void;
}

/** A line of events, first in, first out. What it has shown of itself is never changed: so nothing is copied for it. */
export class EventLine {
  // Only ever grows at its end: what was shown of it counts its events. A shorter one is a new array.
  #line: Waiting[] = [];
  #from = 0;

  get length(): number {
    return this.#line.length - this.#from;
  }

  get first(): Waiting | undefined {
    return this.#line[this.#from];
  }

  get shown(): HeldEvents {
    return new HeldEvents(this.#line, this.#from);
  }

  add(event: Waiting): void {
    this.#line.push(event);
  }

  shift(): Waiting | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    this.#from += 1;
    // Half of it at the most is over: each event is copied once, whatever the length.
    if (this.#from * 2 >= this.#line.length) this.#shorten();
    return first;
  }

  clear(): void {
    this.#line = [];
    this.#from = 0;
  }

  #shorten(): void {
    this.#line = this.#line.slice(this.#from);
    this.#from = 0;
  }
}
