/** Test doubles: scripted models, journal drivers with faults and their conformance suite, a mock client, a mock server. */
export { type CrashPoint, crashingJournal } from "./crashing-journal.ts";
export { failingJournal } from "./failing-journal.ts";
export { type DriverUnderTest, journalConformance } from "./journal-conformance.ts";
export { losingJournal } from "./losing-journal.ts";
export type { MockScript } from "./mock/script/script.ts";
export { ScriptError } from "./mock/script/script-error.ts";
export { parseScript } from "./mock/script/script-parser.ts";
export type { MockOptions, MockRequest } from "./mock/server/record.ts";
export { type MockServer, startMock } from "./mock/server/server.ts";
export { createMockClient, type MockClient } from "./mock-client.ts";
export {
  type EndpointReply,
  type ModelUnderTest,
  modelConformance,
  type OpenedModel,
  type ReplyBlock,
} from "./model-conformance.ts";
export { type ObjectsUnderTest, objectsConformance, type TestedObjects } from "./objects-conformance.ts";
export { type ScriptedTurn, scriptedModel, scriptedToolCall } from "./scripted-model.ts";
