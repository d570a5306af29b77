export type {
  Block,
  Fault,
  MockScript,
  Range,
  Rule,
  ScriptedResponse,
  StreamedFault,
  Turn,
} from "./script.ts";
export { ScriptError } from "./script-error.ts";
export { parseScript } from "./script-parser.ts";
export { ScriptedBlocks } from "./scripted-blocks.ts";
export { signatureFits } from "./signature.ts";
