export { applyRecord } from "./apply-record.ts";
export { compactCause } from "./cause.ts";
export { type ParsedRecord, parseRecord } from "./parse-record.ts";
export {
  type CommitRecord,
  type EffectEndRecord,
  type HeaderRecord,
  JOURNAL_VERSION,
  type JournalDraft,
  type JournalHeader,
  type JournalRecord,
  journalRecordSchema,
  type RecordedCause,
} from "./record.ts";
export { patchOf, RecordedLog } from "./recorded-log.ts";
export { recordUpgrade } from "./upgrade.ts";
