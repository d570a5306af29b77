export * from "./live/index.ts";
export { microstepOf } from "./microstep.ts";
export type { Moment, TraceReader } from "./moment.ts";
export * from "./recording/index.ts";
export { JOURNAL, senderOf, TASK, USER } from "./sender.ts";
export * from "./stately/index.ts";
export type { Microstep, TakenTransition, TraceEvent } from "./trace-event.ts";
export { TraceLog } from "./trace-log.ts";
export { type LiveMarks, Tracer } from "./tracer.ts";
export {
  actionNames,
  type Move,
  movesOf,
  nameOf,
  type StateNode,
  type TransitionRow,
  transitionRows,
  transitionTable,
} from "./transition-table.ts";
