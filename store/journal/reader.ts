import { z } from "zod";
import type { JournalDriver } from "../../ports/journal.ts";
import { parseRecord } from "../../wire/journal/parse-record.ts";
import { JOURNAL_VERSION, type JournalRecord } from "../../wire/journal/record.ts";
import { recordUpgrade } from "../../wire/journal/version-1.ts";
import { JournalError } from "./error.ts";
import { decodeLine } from "./line.ts";
import { type Line, LineSplitter } from "./line-splitter.ts";

/**
 * The unusable end of a journal. `torn`: no valid record follows, as after a crash during a write; it was never
 * acknowledged and can be truncated. `damaged`: valid records follow an invalid line, or a record is out of order or of
 * an unknown kind; the records before it are usable, and nothing may be truncated.
 */
export interface JournalTail {
  readonly kind: "torn" | "damaged";
  /** Number of its first line, from 1. */
  readonly line: number;
  /** Byte offset of its start: `driver.truncate(at)` removes a torn tail. */
  readonly at: number;
  /** Size in bytes. */
  readonly bytes: number;
  readonly reason: string;
}

export interface ReadOptions {
  /** Called once, at the end, if the journal has an unusable tail. */
  readonly onTail: (tail: JournalTail) => void;
}

/**
 * Read the valid records of a journal, oldest first; a journal that was never written has none. Reads line by line,
 * takes no lock and writes nothing.
 *
 * @throws JournalError `JOURNAL_VERSION` (a later version wrote records), `JOURNAL_RECORD` (the first line is valid but
 * not a header), and the errors of the driver
 */
export async function* readJournal(
  driver: Pick<JournalDriver, "path" | "read">,
  { onTail }: ReadOptions,
): AsyncGenerator<JournalRecord> {
  const parser = new JournalParser(driver.path);
  for await (const chunk of driver.read()) yield* parser.push(chunk);
  const tail = parser.end();
  if (tail !== undefined) onTail(tail);
}

/** Parses a journal in chunks. */
export class JournalParser {
  readonly #splitter = new LineSplitter();
  readonly #reader: LineReader;

  constructor(path: string) {
    this.#reader = new LineReader(path);
  }

  /** The valid records that this chunk completes. */
  *push(chunk: Uint8Array): Generator<JournalRecord> {
    for (const line of this.#splitter.push(chunk)) {
      const record = this.#reader.read(line);
      if (record !== undefined) yield record;
    }
  }

  /** The unusable tail, if there is one. */
  end(): JournalTail | undefined {
    const open = this.#splitter.end();
    if (open !== undefined) this.#reader.read(open);
    return this.#reader.tail;
  }
}

/** Parses lines to records up to the first invalid one. */
export class LineReader {
  tail: JournalTail | undefined;
  readonly #path: string;
  #count = 0;
  #upgrade = recordUpgrade(JOURNAL_VERSION);

  constructor(path: string) {
    this.#path = path;
  }

  read(line: Line): JournalRecord | undefined {
    this.#count += 1;
    if (this.tail === undefined) return this.#parse(line);
    this.tail = extended(this.tail, line);
    return undefined;
  }

  #parse(line: Line): JournalRecord | undefined {
    const decoded = decode(line);
    if (!decoded.whole) return this.#end(line, "torn", decoded.reason);
    if (this.#count === 1) return this.#readHeader(decoded.json);
    const parsed = parseRecord(decoded.json);
    if (!parsed.success || parsed.data.kind === "version") this.#assertVersion(decoded.json);
    if (!parsed.success)
      return this.#end(line, "damaged", `it is whole but not a record of this version: ${parsed.problem}`);
    const expected = this.#count - 1;
    const { seq, kind } = parsed.data;
    if (seq !== expected)
      return this.#end(line, "damaged", `expected record ${expected}, found record ${seq}`);
    if (kind === "header") return this.#end(line, "damaged", "expected one header, found another");
    return this.#upgrade(parsed.data);
  }

  #readHeader(json: unknown): JournalRecord {
    this.#assertVersion(json);
    const parsed = parseRecord(json);
    if (parsed.success && parsed.data.kind === "header") {
      this.#upgrade = recordUpgrade(parsed.data.version);
      return parsed.data;
    }
    const found = parsed.success ? `found a ${parsed.data.kind}` : parsed.problem;
    throw new JournalError(
      "JOURNAL_RECORD",
      this.#path,
      `Line 1: expected the header of a journal, ${found}. Check that this is the file of a task.`,
    );
  }

  #assertVersion(json: unknown): void {
    const version = formatVersion(json);
    if (version === undefined || version <= JOURNAL_VERSION) return;
    throw new JournalError(
      "JOURNAL_VERSION",
      this.#path,
      `Line ${this.#count}: expected format version ${JOURNAL_VERSION} or earlier, found ${version}. Use a newer signalbox.`,
    );
  }

  #end(line: Line, kind: JournalTail["kind"], reason: string): undefined {
    this.tail = { kind, line: this.#count, at: line.at, bytes: line.length, reason };
  }
}

const versionSchema = z.object({ kind: z.enum(["header", "version"]), version: z.number() });

/** Format version in a header or a version record of any version; undefined for other records. */
export const formatVersion = (json: unknown): number | undefined =>
  versionSchema.safeParse(json).data?.version;

const decode = ({ bytes, open }: Line) =>
  open ? ({ whole: false, reason: "its newline is missing" } as const) : decodeLine(bytes);

function extended(tail: JournalTail, line: Line): JournalTail {
  const bytes = tail.bytes + line.length;
  if (tail.kind === "damaged" || !decode(line).whole) return { ...tail, bytes };
  return { ...tail, kind: "damaged", bytes, reason: `${tail.reason}, and whole records follow it` };
}
