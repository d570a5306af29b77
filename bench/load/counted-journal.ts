import type { AppendOptions } from "../../ports/journal.ts";
import type { JournalDriver } from "../../store/index.ts";

/** The most lines that waited for one write of a journal. */
export interface LongestQueue {
  lines: number;
}

/** A journal that notes how many lines wait for each of its writes. */
export class CountedJournal implements JournalDriver {
  readonly path: string;
  readonly #driver: JournalDriver;
  readonly #longest: LongestQueue;

  constructor(driver: JournalDriver, longest: LongestQueue) {
    this.path = driver.path;
    this.#driver = driver;
    this.#longest = longest;
  }

  append(lines: readonly string[], options?: AppendOptions): Promise<void> {
    this.#longest.lines = Math.max(this.#longest.lines, lines.length);
    return this.#driver.append(lines, options);
  }

  own(): Promise<void> {
    return this.#driver.own();
  }

  read(): AsyncIterable<Uint8Array> {
    return this.#driver.read();
  }

  truncate(length: number): Promise<string> {
    return this.#driver.truncate(length);
  }

  release(): Promise<void> {
    return this.#driver.release();
  }

  close(): Promise<void> {
    return this.#driver.close();
  }
}
