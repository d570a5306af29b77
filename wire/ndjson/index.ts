export {
  parseStdinStreamCommand,
  STDIN_COMMANDS,
  type StdinCommand,
  type StdinCommandName,
  type StdinCommandOf,
} from "./command.ts";
export { StdinCommandError } from "./command-error.ts";
export {
  JSON_EVENT_TYPES,
  type JsonCost,
  type JsonEvent,
  type JsonQueueItem,
  jsonEventSchema,
  jsonOutputSchema,
  type ParsedJsonEvent,
} from "./event.ts";
