export { type MockScript, parseScript, ScriptError } from "./script/index.ts";
export { type MockOptions, type MockRequest, type MockServer, startMock } from "./server/index.ts";
