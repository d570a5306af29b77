export { parseScript, scriptCharsMax } from "./parse-script.ts";
export type {
  Answer,
  Block,
  Fault,
  MockScript,
  MockStop,
  MockUsage,
  Range,
  Rule,
  StreamedFault,
  Turn,
} from "./script.ts";
export { ScriptError, type ScriptPlace } from "./script-error.ts";
export { signatureFits } from "./signature.ts";
