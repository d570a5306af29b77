export type { Moment, TraceReader } from "./moment.ts";
export { JOURNAL, senderOf, TASK, USER } from "./sender.ts";
export type { Microstep, TakenTransition, TraceEvent } from "./trace-event.ts";
export { TraceLog } from "./trace-log.ts";
export { type LiveMarks, Tracer } from "./tracer.ts";
