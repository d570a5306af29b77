export { type Blame, blameLine } from "./blame.ts";
export { entriesOf, type JournalWrites } from "./derivation.ts";
export type { LedgerEntry, LedgerLine, LedgerPosition } from "./entry.ts";
export { LedgerError, type LedgerErrorCode } from "./error.ts";
export { LedgerFile } from "./ledger-file.ts";
export { hasLedgerFolder } from "./ledger-storage.ts";
export { type NumberedLine, readLedger } from "./reader.ts";
export { TaskLedger, type TaskLedgerOptions } from "./task-ledger.ts";
export { type LedgerProblem, type LedgerReport, type UncheckedTask, verifyLedger } from "./verify.ts";
