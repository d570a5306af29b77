export { requestBytesMax } from "./protocol/index.ts";
export {
  type Block,
  type Fault,
  type MockScript,
  type MockStop,
  type MockUsage,
  parseScript,
  type Rule,
  ScriptError,
  type ScriptedResponse,
  type ScriptPlace,
  scriptCharsMax,
  type Turn,
} from "./script/index.ts";
export { type MockOptions, type MockRequest, type MockServer, startMock } from "./server/index.ts";
