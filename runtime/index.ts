export { type BreakpointSettings, Breakpoints } from "./breakpoints/breakpoints.ts";
export type { HeldEvents } from "./breakpoints/held-events.ts";
export type { BrokenLaw, LawCheck } from "./breakpoints/macrosteps.ts";
export { createHost, type Host } from "./host.ts";
export type { HostOptions, ModelSelector, ReopenOptions, TaskOptions } from "./options.ts";
export * from "./task/index.ts";
export { openHistory, type TaskHistory, type TaskHistoryOptions } from "./task-history/index.ts";
