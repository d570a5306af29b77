export { CallTracker, type EndedCall, RepeatedEffectError } from "./call-tracker.ts";
export { toolActor } from "./tool.ts";
export { UnsentOutput } from "./unsent-output.ts";
