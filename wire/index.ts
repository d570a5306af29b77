export { parseStdinStreamCommand, type StdinCommand, StdinCommandError } from "./ndjson/command.ts";
export { type JsonEvent, jsonEventSchema } from "./ndjson/event.ts";
export { ExchangeError } from "./roo/error.ts";
export { fromRoo } from "./roo/from-roo.ts";
export { toRoo } from "./roo/to-roo.ts";
