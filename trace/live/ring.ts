/** How many may lie dead in front before they are cut off. */
const SLACK = 1024;

/** The newest of a sequence, at most so many of them and of so much weight; the newest one is kept however heavy. */
export class Ring<T> {
  readonly #countMax: number;
  readonly #weightMax: number;
  readonly #weigh: (item: T) => number;
  #items: (T | undefined)[] = [];
  #from = 0;
  #weight = 0;

  constructor(countMax: number, weightMax: number, weigh: (item: T) => number) {
    this.#countMax = countMax;
    this.#weightMax = weightMax;
    this.#weigh = weigh;
  }

  /** Adds one, and gives those that fall out for it, oldest first. */
  add(item: T): readonly T[] {
    this.#items.push(item);
    this.#weight += this.#weigh(item);
    const fallen: T[] = [];
    while (this.#items.length - this.#from > 1 && this.#isFull()) fallen.push(...this.#drop());
    if (this.#from > SLACK && this.#from * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#from);
      this.#from = 0;
    }
    return fallen;
  }

  /** Lets go of those in front for which this holds, and gives them. */
  release(holds: (item: T) => boolean): readonly T[] {
    const released: T[] = [];
    for (
      let item = this.#items[this.#from];
      item !== undefined && holds(item);
      item = this.#items[this.#from]
    )
      released.push(...this.#drop());
    return released;
  }

  /** The first for which this holds: it is let go with all before it. If there is none, all are kept. */
  takeThrough(holds: (item: T) => boolean): T | undefined {
    for (let index = this.#from; index < this.#items.length; index += 1) {
      const item = this.#items[index];
      if (item === undefined || !holds(item)) continue;
      while (this.#from <= index) this.#drop();
      return item;
    }
    return undefined;
  }

  /** The first for which this holds. It must hold for all that come after it. */
  first(holds: (item: T) => boolean): T | undefined {
    let low = this.#from;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const item = this.#items[middle];
      if (item !== undefined && holds(item)) high = middle;
      else low = middle + 1;
    }
    return this.#items[low];
  }

  *items(): Generator<T, undefined> {
    for (let index = this.#from; index < this.#items.length; index += 1) {
      const item = this.#items[index];
      if (item !== undefined) yield item;
    }
    return undefined;
  }

  #isFull(): boolean {
    return this.#items.length - this.#from > this.#countMax || this.#weight > this.#weightMax;
  }

  #drop(): readonly T[] {
    const item = this.#items[this.#from];
    this.#items[this.#from] = undefined;
    this.#from += 1;
    if (item === undefined) return [];
    this.#weight -= this.#weigh(item);
    return [item];
  }
}
