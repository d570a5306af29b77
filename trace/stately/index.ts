export { inspectForStately, type StatelyOptions } from "./inspector.ts";
export type { StatelyEvent, StatelySnapshot } from "./stately-event.ts";
