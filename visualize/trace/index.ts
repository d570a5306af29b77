export { type LiveTraceOptions, liveTrace } from "./live/live-trace.ts";
export type { Moment, TraceReader } from "./moment.ts";
export { TraceError, type TraceErrorCode } from "./recording/error.ts";
export { parseTraceLine, traceLines } from "./recording/trace-line.ts";
export { traceOfJournal } from "./recording/trace-of-journal.ts";
export { type Inspectable, inspectForStately, type StatelyOptions } from "./stately/inspector.ts";
export type { StatelyEvent, StatelySnapshot } from "./stately/stately-event.ts";
export type { Microstep, TakenTransition, TraceEvent } from "./trace-event.ts";
export { TraceLog } from "./trace-log.ts";
export { type LiveMarks, Tracer } from "./tracer.ts";
export { microstepOf } from "./transitions/microstep.ts";
export {
  type MachineTransition,
  machineTransitions,
  transitionTable,
} from "./transitions/transition-table.ts";
