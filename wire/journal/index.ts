export type { JournalDraft, JournalHeader } from "./draft.ts";
export { type ParsedRecord, parseRecord } from "./parse-record.ts";
export {
  type CommitRecord,
  type EffectEndRecord,
  type HeaderRecord,
  JOURNAL_VERSION,
  type JournalRecord,
  journalRecordSchema,
  type RecordedCause,
} from "./record.ts";
export { rememberRecord } from "./remember.ts";
export { recordUpgrade } from "./upgrade.ts";
