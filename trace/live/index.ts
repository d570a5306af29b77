export { Channel } from "./channel.ts";
export { Follower, type FollowOptions, type Told } from "./follower.ts";
export { LiveEvents, type LiveEventsOptions } from "./live-events.ts";
export { DEFAULT_TRACE_BOUND, type LiveTraceOptions, liveTrace } from "./live-trace.ts";
export { NO_OPENING, type Position } from "./position.ts";
export { Waiter } from "./waiter.ts";
