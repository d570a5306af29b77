/** An event that a breakpoint holds. */
export interface HeldEvent {
  readonly type: string;
}

/**
 * The held events at one moment, in order. Immutable, and created at the same cost however many events are held (L17).
 */
export class HeldEvents implements Iterable<HeldEvent> {
  readonly #queue: readonly HeldEvent[];
  readonly #from: number;
  readonly length: number;

  constructor(queue: readonly HeldEvent[] = [], from = 0) {
    this.#queue = queue;
    this.#from = from;
    this.length = queue.length - from;
  }

  /** The event at this position, from 0; undefined past the end. */
  at(position: number): HeldEvent | undefined {
    const event = position < 0 || position >= this.length ? undefined : this.#queue[this.#from + position];
    return event && { type: event.type };
  }

  *[Symbol.iterator](): Iterator<HeldEvent> {
    for (let position = 0; position < this.length; position++) {
      const event = this.at(position);
      if (event !== undefined) yield event;
    }
  }

  /** Like the method of an array. */
  map<T>(transform: (event: HeldEvent) => T): T[] {
    return Array.from(this, (event) => transform(event));
  }
}

interface QueuedEvent extends HeldEvent {
  /** The call that it belongs to. */
  readonly callId?: string;
  readonly deliver: () => void;
}

/** A FIFO queue of events. A {@link HeldEvents} shares its array, so nothing is copied for one. */
export class EventQueue {
  // Append-only: a shorter queue is a new array.
  #queue: QueuedEvent[] = [];
  #from = 0;

  get length(): number {
    return this.#queue.length - this.#from;
  }

  get first(): QueuedEvent | undefined {
    return this.#queue[this.#from];
  }

  /** The queue as it is now. */
  get events(): HeldEvents {
    return new HeldEvents(this.#queue, this.#from);
  }

  add(event: QueuedEvent): void {
    this.#queue.push(event);
  }

  shift(): QueuedEvent | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    this.#from += 1;
    // At most half of the array is unused, so each event is copied once on average.
    if (this.#from * 2 >= this.#queue.length) {
      this.#queue = this.#queue.slice(this.#from);
      this.#from = 0;
    }
    return first;
  }

  clear(): void {
    this.#queue = [];
    this.#from = 0;
  }
}
