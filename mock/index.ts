export { requestBytesMax } from "./body.ts";
export { parseScript, scriptCharsMax } from "./parse-script.ts";
export type { MockRequest } from "./record.ts";
export type { Answer, Block, Fault, MockScript, MockStop, MockUsage, Rule, Turn } from "./script.ts";
export { ScriptError, type ScriptPlace } from "./script-error.ts";
export { type MockOptions, type MockServer, startMock } from "./server.ts";
