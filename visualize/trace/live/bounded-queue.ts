/** Empty slots at the front before they are cut off. */
const SLACK = 1024;

/** The newest items of a sequence, bounded by count and total weight. The newest item is always kept. */
export class BoundedQueue<T> {
  readonly #countMax: number;
  readonly #weightMax: number;
  readonly #weigh: (item: T) => number;
  #items: (T | undefined)[] = [];
  #start = 0;
  #weight = 0;

  constructor(countMax: number, weightMax: number, weigh: (item: T) => number) {
    this.#countMax = countMax;
    this.#weightMax = weightMax;
    this.#weigh = weigh;
  }

  /** Add an item. Returns the items that were dropped for it, oldest first. */
  push(item: T): readonly T[] {
    this.#items.push(item);
    this.#weight += this.#weigh(item);
    const dropped: T[] = [];
    while (this.#items.length - this.#start > 1 && this.#isFull()) dropped.push(...this.#shift());
    if (this.#start > SLACK && this.#start * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
    return dropped;
  }

  /** Remove and return the items at the front that match. */
  shiftWhile(matches: (item: T) => boolean): readonly T[] {
    const shifted: T[] = [];
    let item = this.#items[this.#start];
    while (item !== undefined && matches(item)) {
      shifted.push(...this.#shift());
      item = this.#items[this.#start];
    }
    return shifted;
  }

  /** Remove and return the first item that matches, with all before it. Without a match nothing is removed. */
  shiftThrough(matches: (item: T) => boolean): T | undefined {
    for (let index = this.#start; index < this.#items.length; index += 1) {
      const item = this.#items[index];
      if (item === undefined || !matches(item)) continue;
      while (this.#start <= index) this.#shift();
      return item;
    }
    return undefined;
  }

  /** The first item that matches, by binary search: all items after it must match too. */
  search(matches: (item: T) => boolean): T | undefined {
    let low = this.#start;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const item = this.#items[middle];
      if (item !== undefined && matches(item)) high = middle;
      else low = middle + 1;
    }
    return this.#items[low];
  }

  *values(): Generator<T, undefined> {
    for (let index = this.#start; index < this.#items.length; index += 1) {
      const item = this.#items[index];
      if (item !== undefined) yield item;
    }
    return undefined;
  }

  #isFull(): boolean {
    return this.#items.length - this.#start > this.#countMax || this.#weight > this.#weightMax;
  }

  #shift(): readonly T[] {
    const item = this.#items[this.#start];
    this.#items[this.#start] = undefined;
    this.#start += 1;
    if (item === undefined) return [];
    this.#weight -= this.#weigh(item);
    return [item];
  }
}
