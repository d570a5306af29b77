import { z } from "zod";
import { JOURNAL_VERSION, type JournalRecord, parseRecord, recordUpgrade } from "../../wire/index.ts";
import type { JournalDriver } from "./driver.ts";
import { JournalError } from "./error.ts";
import { decodeLine } from "./line.ts";
import { type Line, LineSplitter } from "./line-splitter.ts";

/**
 * The end of a journal that can't be used. `torn`: nothing whole follows, as after a crash in a write; it was
 * never acknowledged, and may be cut. `damaged`: whole records follow a bad line, or a record is out of its
 * order or of no kind that this version knows; what stands before it is good, and nothing may be cut.
 */
export interface JournalTail {
  readonly kind: "torn" | "damaged";
  /** Its first line, counted from 1. */
  readonly line: number;
  /** Where it begins, in bytes: `driver.cut(at)` removes one that is torn. */
  readonly at: number;
  /** How many bytes it has. */
  readonly bytes: number;
  readonly reason: string;
}

export interface ReadOptions {
  /** Told once, at the end, if the journal's end could not be used. */
  readonly onTail: (tail: JournalTail) => void;
}

/**
 * The records of a journal, oldest first, up to where it is whole; one that was never written has none. Reads
 * a line at a time, owns nothing and writes nothing.
 *
 * @throws JournalError `JOURNAL_VERSION` (a later version made it), `JOURNAL_RECORD` (its first line is whole
 * and is no header: it is no journal of a task), or that of the driver.
 */
export async function* readJournal(
  driver: Pick<JournalDriver, "path" | "read">,
  { onTail }: ReadOptions,
): AsyncGenerator<JournalRecord> {
  const splitter = new LineSplitter();
  const reader = new LineReader(driver.path);
  for await (const piece of driver.read()) {
    for (const line of splitter.push(piece)) {
      const record = reader.take(line);
      if (record !== undefined) yield record;
    }
  }
  const open = splitter.end();
  if (open !== undefined) reader.take(open);
  if (reader.tail !== undefined) onTail(reader.tail);
}

/** Makes records of lines for as long as they are good. */
class LineReader {
  tail: JournalTail | undefined;
  readonly #path: string;
  #count = 0;
  #upgrade = recordUpgrade(JOURNAL_VERSION);

  constructor(path: string) {
    this.#path = path;
  }

  take(line: Line): JournalRecord | undefined {
    this.#count += 1;
    if (this.tail !== undefined) this.tail = grown(this.tail, line);
    else return this.#read(line);
    return undefined;
  }

  #read(line: Line): JournalRecord | undefined {
    const decoded = decode(line);
    if (!decoded.whole) return this.#end(line, "torn", decoded.reason);
    if (this.#count === 1) return this.#header(decoded.json);
    const parsed = parseRecord(decoded.json);
    if (!parsed.success)
      return this.#end(
        line,
        "damaged",
        `it is whole but no record that this version knows: ${parsed.problem}`,
      );
    const expected = this.#count - 1;
    const { seq, kind } = parsed.data;
    if (seq !== expected)
      return this.#end(line, "damaged", `expected record ${expected}, found record ${seq}`);
    if (kind === "header") return this.#end(line, "damaged", "the header comes first, and once");
    return this.#upgrade(parsed.data);
  }

  /** Whose journal it is. Without that it can't be opened at all. */
  #header(json: unknown): JournalRecord {
    const version = versionSchema.safeParse(json).data?.version;
    if (version !== undefined && version > JOURNAL_VERSION)
      throw new JournalError(
        "JOURNAL_VERSION",
        this.#path,
        `Its format is version ${version}; this program knows up to ${JOURNAL_VERSION}. Use a newer signalbox.`,
      );
    const parsed = parseRecord(json);
    if (parsed.success && parsed.data.kind === "header") {
      this.#upgrade = recordUpgrade(parsed.data.version);
      return parsed.data;
    }
    const found = parsed.success ? `found a ${parsed.data.kind}` : parsed.problem;
    throw new JournalError(
      "JOURNAL_RECORD",
      this.#path,
      `Line 1 is whole but is no header of a journal: ${found}. Check that this is the file of a task.`,
    );
  }

  #end(line: Line, kind: JournalTail["kind"], reason: string): undefined {
    this.tail = { kind, line: this.#count, at: line.at, bytes: line.length, reason };
  }
}

const versionSchema = z.object({ kind: z.literal("header"), version: z.number() });

const decode = ({ bytes, open }: Line) =>
  open ? ({ whole: false, reason: "it has no end" } as const) : decodeLine(bytes);

function grown(tail: JournalTail, line: Line): JournalTail {
  const bytes = tail.bytes + line.length;
  if (tail.kind === "damaged" || !decode(line).whole) return { ...tail, bytes };
  return { ...tail, kind: "damaged", bytes, reason: `${tail.reason}, and whole records follow it` };
}
