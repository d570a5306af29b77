export type { AppendOptions, JournalDriver } from "./driver.ts";
export { closedError, JournalError, type JournalErrorCode, toJournalError } from "./error.ts";
export { failingJournal } from "./failing.ts";
export { type FileJournalOptions, fileJournal } from "./file.ts";
export { encodeLine } from "./line.ts";
export { type MemoryJournalOptions, memoryJournal } from "./memory.ts";
export { type ReadOptions, readJournal, type TornTail } from "./read.ts";
