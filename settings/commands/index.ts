export {
  type CommandFile,
  commandArguments,
  expandCommand,
  isCommandName,
  parseCommand,
} from "./command-file.ts";
export { COMMAND_BYTES_MAX, type CommandTexts, readCommandTexts } from "./command-texts.ts";
