/** Test doubles for programs that embed signalbox: models, journal drivers that fail, their conformance suite, a mock client. */
export { createMockClient, type MockClient } from "../client/index.ts";
export { type CrashingJournalOptions, type CrashPoint, crashingJournal } from "./crashing-journal.ts";
export { failingJournal } from "./failing-journal.ts";
export { type DriverCase, type DriverUnderTest, journalConformance } from "./journal-conformance.ts";
export { type LosingJournal, type LosingJournalOptions, losingJournal } from "./losing-journal.ts";
export * from "./mock/index.ts";
export { type ScriptedTurn, scriptedModel, scriptedToolCall } from "./scripted-model.ts";
