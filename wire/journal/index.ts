export { applyRecord } from "./apply-record.ts";
export { compactCause } from "./cause.ts";
export { parseRecord } from "./parse-record.ts";
export {
  type CommitRecord,
  type HeaderRecord,
  JOURNAL_VERSION,
  type JournalDraft,
  type JournalHeader,
  type JournalRecord,
  journalRecordSchema,
  type RecordedCause,
  recordedRules,
  SUBTASK_RULES,
} from "./record.ts";
export { patchOf, RecordedLog } from "./recorded-log.ts";
export { recordUpgrade } from "./version-1.ts";
