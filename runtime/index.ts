export {
  type BreakpointLimits,
  type BreakpointSettings,
  Breakpoints,
  DEFAULT_BREAKPOINT_LIMITS,
  type LiftedBreakpoints,
} from "./breakpoints/breakpoints.ts";
export type { HeldEvent, HeldEvents } from "./breakpoints/held-events.ts";
export type { BrokenLaw, LawCheck, Macrostep, TaskPosition } from "./breakpoints/macrosteps.ts";
export { createHost, type Host } from "./host.ts";
export type { HostOptions, ReopenOptions, TaskOptions } from "./options.ts";
export type { DroppedTail } from "./recovery.ts";
export { DEFAULT_SUBTASK_DEPTH } from "./subtasks/subtask-tree.ts";
export * from "./task/index.ts";
export { openHistory, type TaskHistory, type TaskHistoryOptions } from "./task-history.ts";
