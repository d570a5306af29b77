export { parseEventId } from "./event-id.ts";
export { TaskTraces, type TraceItem } from "./task-traces.ts";
