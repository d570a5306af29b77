export {
  descriptorVerb,
  parseDescriptor,
  parseQuestion,
  type Suggestion,
  type Todo,
  type ToolDescriptor,
} from "./descriptor.ts";
export { elicitationSchema, parseElicitation } from "./elicitation.ts";
export { conversationEventCodec, entryCodec, entrySchema } from "./entry.ts";
export { WireError, type WireErrorCode } from "./error.ts";
export * from "./http/index.ts";
export {
  applyRecord,
  type CommitRecord,
  type HeaderRecord,
  JOURNAL_VERSION,
  type JournalDraft,
  type JournalHeader,
  type JournalRecord,
  journalRecordSchema,
  parseRecord,
  type RecordedCause,
  recordedRules,
  recordUpgrade,
  SUBTASK_RULES,
} from "./journal/index.ts";
export { logEventCodec, messageCodec, messagesCodec } from "./message.ts";
export { messageSchema } from "./message-schema.ts";
export {
  type JsonCost,
  type JsonEvent,
  type JsonQueueItem,
  jsonEventSchema,
  jsonOutputSchema,
  type ParsedJsonEvent,
  parseStdinStreamCommand,
  STDIN_COMMANDS,
  type StdinCommand,
  StdinCommandError,
  type StdinCommandName,
  type StdinCommandOf,
} from "./ndjson/index.ts";
export { permissionChangeSchema } from "./permissions.ts";
export { type RestReason, restReason } from "./rest-reason.ts";
export {
  ExchangeError,
  type ExchangeErrorCode,
  fromRoo,
  type HistoryItem,
  parseHistoryItem,
  parseRooFile,
  type Repair,
  ROO_FILES,
  type RooFile,
  toRoo,
} from "./roo/index.ts";
export { CHOSEN_ID_MAX_CHARS, TASK_ID, TASK_ID_MAX_CHARS } from "./task-id.ts";
