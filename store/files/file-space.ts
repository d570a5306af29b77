/** Places are multiples of this many bytes, as blocks of a disk are. */
const BLOCK_BYTES = 4096;

/** A part of a file. */
interface Gap {
  readonly from: number;
  readonly to: number;
}

/** The places of contents in a file. A place that is free again is used first, and joined with the free ones beside it. */
export class FileSpace {
  /** In order; no two touch. */
  #gaps: readonly Gap[] = [];
  #end = 0;

  /** The end of the last place, in bytes. */
  get end(): number {
    return this.#end;
  }

  /** Take a place for so many bytes. Returns where it begins. */
  take(bytes: number): number {
    const size = sizeOf(bytes);
    const found = this.#gaps.find(({ from, to }) => to - from >= size);
    if (found === undefined) {
      this.#end += size;
      return this.#end - size;
    }
    const rest = { from: found.from + size, to: found.to };
    this.#gaps = this.#gaps.flatMap((gap) => {
      if (gap !== found) return [gap];
      return rest.from < rest.to ? [rest] : [];
    });
    return found.from;
  }

  /** Free the place for so many bytes that begins at `from`. */
  give(from: number, bytes: number): void {
    const to = from + sizeOf(bytes);
    const before = this.#gaps.filter((gap) => gap.to < from);
    const after = this.#gaps.filter((gap) => gap.from > to);
    const touching = this.#gaps.slice(before.length, this.#gaps.length - after.length);
    const joined = {
      from: Math.min(from, ...touching.map((gap) => gap.from)),
      to: Math.max(to, ...touching.map((gap) => gap.to)),
    };
    if (joined.to < this.#end) {
      this.#gaps = [...before, joined, ...after];
      return;
    }
    this.#end = joined.from;
    this.#gaps = before;
  }
}

const sizeOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / BLOCK_BYTES)) * BLOCK_BYTES;
