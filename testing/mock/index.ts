export { requestBytesMax } from "./protocol/index.ts";
export {
  type Answer,
  type Block,
  type Fault,
  type MockScript,
  type MockStop,
  type MockUsage,
  parseScript,
  type Rule,
  ScriptError,
  type ScriptPlace,
  scriptCharsMax,
  type Turn,
} from "./script/index.ts";
export { type MockOptions, type MockRequest, type MockServer, startMock } from "./server/index.ts";
