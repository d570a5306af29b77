export { CallTracker, type EndedCall, RepeatedEffectError } from "./call-tracker.ts";
export { CommandTracker } from "./command-tracker.ts";
export { KnownVersions } from "./known-versions.ts";
export { timedIndex } from "./timed-index.ts";
export { toolActor } from "./tool.ts";
export { UnsentOutput } from "./unsent-output.ts";
