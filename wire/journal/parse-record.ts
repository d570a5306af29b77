import { z } from "zod";
import { quickCommit } from "./quick-commit.ts";
import { type JournalRecord, journalRecordSchema } from "./record.ts";

/** A record, or in words why the value is none. */
export type ParsedRecord =
  | { readonly success: true; readonly data: JournalRecord }
  | { readonly success: false; readonly problem: string };

/** Reads one record of a journal from the JSON of its line. */
export function parseRecord(json: unknown): ParsedRecord {
  const quick = quickCommit(json);
  if (quick !== undefined) return { success: true, data: quick };
  const parsed = journalRecordSchema.safeParse(json);
  return parsed.success
    ? { success: true, data: parsed.data }
    : { success: false, problem: z.prettifyError(parsed.error) };
}
