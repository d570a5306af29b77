/** What tests of programs that embed signalbox need: journals that fail, their conformance suite, a scripted model server. */
export { type CrashingJournalOptions, type CrashPoint, crashingJournal } from "./crashing-journal.ts";
export { failingJournal } from "./failing-journal.ts";
export { type DriverCase, type DriverUnderTest, journalConformance } from "./journal-conformance.ts";
export { type LosingJournal, type LosingJournalOptions, losingJournal } from "./losing-journal.ts";
export * from "./mock/index.ts";
