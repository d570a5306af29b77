export { CallTracker, type CallTrackerOptions, type EndedCall, RepeatedEffectError } from "./call-tracker.ts";
export type { ResultLimits } from "./result.ts";
export type { RunCallOptions } from "./run-call.ts";
export { type ToolActorOptions, toolActor } from "./tool.ts";
