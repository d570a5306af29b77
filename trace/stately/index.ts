export type { StatelyEvent, StatelySnapshot } from "./stately-event.ts";
export { type TellStatelyOptions, tellStately } from "./tell-stately.ts";
