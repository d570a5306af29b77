/** Traces of tasks, recorded and live, and the machine's transition table. Runs in browsers. */
export { type LiveTraceOptions, liveTrace } from "./live/index.ts";
export type { Moment, TraceReader } from "./moment.ts";
export {
  parseTraceLine,
  TraceError,
  type TraceErrorCode,
  traceLines,
  traceOfJournal,
} from "./recording/index.ts";
export { type Inspectable, inspectForStately, type StatelyOptions } from "./stately/inspector.ts";
export type { StatelyEvent, StatelySnapshot } from "./stately/stately-event.ts";
export type { Microstep, TakenTransition, TraceEvent } from "./trace-event.ts";
export { TraceLog } from "./trace-log.ts";
export { type LiveMarks, Tracer } from "./tracer.ts";
export {
  type MachineTransition,
  machineTransitions,
  microstepOf,
  transitionTable,
} from "./transitions/index.ts";
