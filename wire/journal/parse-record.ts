import * as z from "zod";
import { parsePlainCommit } from "./plain-commit.ts";
import { type JournalRecord, journalRecordSchema } from "./record.ts";

/** A record, or why the value is invalid. */
export type ParsedRecord =
  | { readonly success: true; readonly data: JournalRecord }
  | { readonly success: false; readonly problem: string };

/** Parse one record of a journal from the JSON of its line. */
export function parseRecord(json: unknown): ParsedRecord {
  const plain = parsePlainCommit(json);
  if (plain !== undefined) return { success: true, data: plain };
  const parsed = journalRecordSchema.safeParse(json);
  return parsed.success
    ? { success: true, data: parsed.data }
    : { success: false, problem: z.prettifyError(parsed.error) };
}
