export {
  parseStdinStreamCommand,
  STDIN_COMMANDS,
  type StdinCommand,
  StdinCommandError,
  type StdinCommandName,
  type StdinCommandOf,
} from "./command.ts";
export {
  type JsonCost,
  type JsonEvent,
  type JsonQueueItem,
  jsonEventSchema,
  jsonOutputSchema,
  type ParsedJsonEvent,
} from "./event.ts";
