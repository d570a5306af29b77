export type { AppendOptions, JournalDriver, PassiveStorage } from "./driver.ts";
export { closedError, JournalError, type JournalErrorCode, toJournalError } from "./error.ts";
export { type FileJournalOptions, fileJournal } from "./file.ts";
export { type JournalHolder, journalHolder } from "./holder.ts";
export { decodeLine, encodeLine } from "./line.ts";
export { type MemoryJournalOptions, MemoryStore, memoryJournal } from "./memory.ts";
export { formatVersion, JournalParser, type JournalTail, type ReadOptions, readJournal } from "./reader.ts";
