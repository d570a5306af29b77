export {
  type CommandPattern,
  coversWords,
  EXPECTED_COMMAND,
  findInWords,
  parseCommandPattern,
} from "../command-pattern.ts";
export { EXPECTED_GLOB, type PathGlob, parseGlob } from "../path-glob.ts";
