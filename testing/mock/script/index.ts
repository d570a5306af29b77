export type {
  Block,
  Fault,
  MockScript,
  MockStop,
  MockUsage,
  Range,
  Rule,
  ScriptedResponse,
  StreamedFault,
  Turn,
} from "./script.ts";
export { ScriptError, type ScriptPlace } from "./script-error.ts";
export { parseScript, scriptCharsMax } from "./script-parser.ts";
export { signatureFits } from "./signature.ts";
