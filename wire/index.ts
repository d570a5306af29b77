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
export {
  type AnswerBody,
  answerSchema,
  breakpointsSchema,
  editSchema,
  forkSchema,
  modeSchema,
  type NewTask,
  newTaskSchema,
  type OpenAskInfo,
  type PermissionChangeBody,
  type Problem,
  permissionsInfo,
  problemSchema,
  profileSchema,
  proposalSchema,
  type QueuedEdit,
  queuedSchema,
  renameSchema,
  sessionSchema,
  setBreakpointsSchema,
  type TaskInfo,
  taskInfoSchema,
  taskListSchema,
  userMessageSchema,
} from "./http/api.ts";
export { readTraceEvent } from "./http/read-trace-event.ts";
export { traceEventSchema } from "./http/trace.ts";
export { applyRecord } from "./journal/apply-record.ts";
export { parseRecord } from "./journal/parse-record.ts";
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
} from "./journal/record.ts";
export { recordUpgrade } from "./journal/version-1.ts";
export { logEventCodec, messageCodec, messagesCodec } from "./message.ts";
export { messageSchema } from "./message-schema.ts";
export {
  parseStdinStreamCommand,
  STDIN_COMMANDS,
  type StdinCommand,
  StdinCommandError,
  type StdinCommandName,
  type StdinCommandOf,
} from "./ndjson/command.ts";
export {
  type JsonCost,
  type JsonEvent,
  type JsonQueueItem,
  jsonEventSchema,
  jsonOutputSchema,
  type ParsedJsonEvent,
} from "./ndjson/event.ts";
export { permissionChangeSchema } from "./permissions.ts";
export { type RestReason, restReason } from "./rest-reason.ts";
export { ExchangeError, type ExchangeErrorCode, ROO_FILES, type RooFile } from "./roo/error.ts";
export { fromRoo, parseRooFile } from "./roo/from-roo.ts";
export { type HistoryItem, parseHistoryItem } from "./roo/history-item.ts";
export type { Repair } from "./roo/report.ts";
export { toRoo } from "./roo/to-roo.ts";
export { CHOSEN_ID_MAX_CHARS, TASK_ID, TASK_ID_MAX_CHARS } from "./task-id.ts";
