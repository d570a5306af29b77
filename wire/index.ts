export type { Codec } from "./codec.ts";
export {
  descriptorVerb,
  parseDescriptor,
  parseQuestion,
  type Todo,
  type ToolDescriptor,
} from "./descriptor.ts";
export {
  contentSchema,
  conversationEventCodec,
  conversationEventSchema,
  entryCodec,
  entrySchema,
} from "./entry.ts";
export { WireError, type WireErrorCode } from "./error.ts";
export * from "./http/index.ts";
export {
  applyRecord,
  type CommitRecord,
  type EffectEndRecord,
  type HeaderRecord,
  JOURNAL_VERSION,
  type JournalDraft,
  type JournalHeader,
  type JournalRecord,
  journalRecordSchema,
  type ParsedRecord,
  parseRecord,
  type RecordedCause,
  recordUpgrade,
} from "./journal/index.ts";
export { logEventCodec, logEventSchema, messageCodec, messagesCodec } from "./message.ts";
export { messageSchema } from "./message-schema.ts";
export {
  JSON_EVENT_TYPES,
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
export {
  ExchangeError,
  type ExchangeErrorCode,
  type FromRoo,
  fromRoo,
  type Mended,
  type MendedRule,
  parseRooFile,
  ROO_FILES,
  type RooFile,
  type RooFiles,
  type ToRoo,
  toRoo,
} from "./roo/index.ts";
