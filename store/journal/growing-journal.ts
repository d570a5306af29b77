import type { JournalDriver, JournalPlace } from "../../ports/journal.ts";
import type { JournalRecord } from "../../wire/journal/record.ts";
import { LineSplitter } from "./line-splitter.ts";
import { type JournalTail, LineReader, readJournal } from "./reader.ts";

const NOWHERE: JournalPlace = { storage: "", bytes: 0 };

/** A journal that another process may be writing, read as it grows. */
export class GrowingJournal {
  readonly #driver: Pick<JournalDriver, "path" | "read" | "readAfter">;
  /** The end of the last whole line that was read. */
  #place = NOWHERE;
  #lines: LineReader;
  #tail: JournalTail | undefined;

  constructor(driver: Pick<JournalDriver, "path" | "read" | "readAfter">) {
    this.#driver = driver;
    this.#lines = new LineReader(driver.path);
  }

  /** The unusable end that the last call of {@link read} found: not a line that is still being written. */
  get tail(): JournalTail | undefined {
    return this.#tail;
  }

  /**
   * The valid records since the last call, which must have been read to its end. All records from the header on, if the
   * driver can't read from a place, or the journal was replaced, became shorter, or had an invalid line.
   *
   * @throws JournalError as `readJournal` does
   */
  async *read(): AsyncGenerator<JournalRecord> {
    const growth = await this.#driver.readAfter?.(this.#place);
    this.#tail = undefined;
    if (growth === undefined)
      return yield* readJournal(this.#driver, {
        onTail: (tail) => {
          this.#tail = tail;
        },
      });
    const { from, chunks } = growth;
    if (from.bytes === 0) this.#lines = new LineReader(this.#driver.path);
    this.#place = NOWHERE;
    let { bytes } = from;
    const lines = new LineSplitter();
    for await (const chunk of chunks)
      for (const line of lines.push(chunk)) {
        const record = this.#lines.read(line);
        bytes += line.length;
        if (record !== undefined) yield record;
      }
    this.#tail = this.#lines.tail;
    if (this.#tail === undefined) this.#place = { ...from, bytes };
  }
}
