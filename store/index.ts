export * from "./exchange/index.ts";
export * from "./gate/index.ts";
export {
  type AppendOptions,
  encodeLine,
  type FileJournalOptions,
  fileJournal,
  type JournalDriver,
  JournalError,
  type JournalErrorCode,
  type JournalHolder,
  type JournalTail,
  type MemoryJournalOptions,
  MemoryStore,
  memoryJournal,
  type PassiveStorage,
  type ReadOptions,
  readJournal,
} from "./journal/index.ts";
export * from "./recovery/index.ts";
export * from "./task-history/index.ts";
