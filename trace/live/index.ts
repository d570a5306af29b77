export { Channel } from "./channel.ts";
export { Follower, type FollowOptions } from "./follower.ts";
export { LiveEvents, type LiveEventsOptions } from "./live-events.ts";
export { type LiveTraceOptions, liveTrace } from "./live-trace.ts";
export { NO_OPENING, type ReaderPosition } from "./position.ts";
export { WakeSignal } from "./wake-signal.ts";
