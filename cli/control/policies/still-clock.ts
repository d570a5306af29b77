import { systemClock } from "../../../actors/protocol/edge.ts";
import type { Clock } from "../../../ports/clock.ts";

/**
 * A clock that always reads the same time, while its timers run. The ids of requests and calls derive from it, and the numbers
 * that a protocol draws derive from these: equal runs draw equal numbers, however fast they are. No deadline of a request or a
 * retry passes, which scripted models do not need; commands have the time of the system.
 */
export const STILL_CLOCK: Clock = { ...systemClock, now: () => 0 };
