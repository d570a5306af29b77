import { z } from "zod";
import { JOURNAL_VERSION, type JournalRecord, journalRecordSchema } from "../../wire/index.ts";
import type { JournalDriver } from "./driver.ts";
import { JournalError } from "./error.ts";
import { decodeLine } from "./line.ts";
import { linesOf } from "./whole-lines.ts";

/** The end of a journal that a crash left half written. It was never acknowledged, so nothing depends on it. */
export interface TornTail {
  /** Its line, counted from 1. */
  readonly line: number;
  /** Where it begins, in bytes: `driver.truncate(at)` removes it. */
  readonly at: number;
  /** How many bytes were dropped. */
  readonly bytes: number;
  readonly reason: string;
}

export interface ReadOptions {
  /** Told once, at the end, if the end was torn. */
  readonly onTorn: (tail: TornTail) => void;
}

/**
 * The records of a journal, oldest first; one that was never written has none. Reads a line at a time and
 * writes nothing.
 *
 * @throws JournalError `JOURNAL_DAMAGED` (a bad line before good ones, or a record out of its order),
 * `JOURNAL_VERSION` (made by a later version), `JOURNAL_RECORD` (whole, but not a record), or that of the driver.
 */
export async function* readJournal(
  driver: JournalDriver,
  { onTorn }: ReadOptions,
): AsyncGenerator<JournalRecord> {
  let torn: TornTail | undefined;
  let line = 0;
  for await (const { bytes, at, open } of linesOf(driver.read())) {
    line += 1;
    const decoded = open ? ({ whole: false, reason: "it has no end" } as const) : decodeLine(bytes);
    const length = bytes.length + (open ? 0 : 1);
    if (torn !== undefined) {
      if (decoded.whole) throw damaged(driver, torn.line, `${torn.reason}, and whole records follow it`);
      torn = { ...torn, bytes: torn.bytes + length };
    } else if (decoded.whole) yield toRecord(driver, line, decoded.json);
    else torn = { line, at, bytes: length, reason: decoded.reason };
  }
  if (torn !== undefined) onTorn(torn);
}

function toRecord(driver: JournalDriver, line: number, json: unknown): JournalRecord {
  if (line === 1) assertVersion(driver, json);
  const parsed = journalRecordSchema.safeParse(json);
  if (!parsed.success) {
    throw new JournalError(
      "JOURNAL_RECORD",
      driver.path,
      `Line ${line} is whole but is no record that this version knows: ${z.prettifyError(parsed.error)}. ` +
        "Open it with the version that wrote it.",
    );
  }
  const { seq, kind } = parsed.data;
  if (seq !== line - 1) throw damaged(driver, line, `expected record ${line - 1}, found record ${seq}`);
  if ((kind === "header") !== (line === 1)) throw damaged(driver, line, "the header comes first, and once");
  return parsed.data;
}

// Older versions are translated here, record by record, once there are any.
function assertVersion(driver: JournalDriver, json: unknown): void {
  const version = z.object({ kind: z.literal("header"), version: z.number() }).safeParse(json).data?.version;
  if (version === undefined || version <= JOURNAL_VERSION) return;
  throw new JournalError(
    "JOURNAL_VERSION",
    driver.path,
    `Its format is version ${version}; this program knows up to ${JOURNAL_VERSION}. Use a newer signalbox.`,
  );
}

function damaged(driver: JournalDriver, line: number, problem: string): JournalError {
  return new JournalError(
    "JOURNAL_DAMAGED",
    driver.path,
    `Line ${line}: ${problem}. Restore the file from a copy, or keep the lines before this one and open it again.`,
  );
}
