import type { JournalRecord } from "./record.ts";
import { fromVersion1 } from "./version-1.ts";

const same = (record: JournalRecord): JournalRecord => record;

/**
 * How the records of a journal of this version are read, in their order: as this version would have written them.
 * One journal needs one of its own.
 */
export const recordUpgrade = (version: number): ((record: JournalRecord) => JournalRecord) =>
  version === 1 ? fromVersion1() : same;
