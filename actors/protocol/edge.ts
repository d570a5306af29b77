import type { Clock } from "../../ports/clock.ts";

/** Release an effect: `start` is called once the decision for it is durable (L11). */
export type Release = (start: () => void) => void;

/**
 * Pass an event to the machine: `deliver` is called at once, or when a held event is released. An actor's later events
 * wait behind a held one.
 */
export type Pass = (event: { readonly type: string; readonly callId?: string }, deliver: () => void) => void;

/** The environment of every edge actor. */
export interface Edge {
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly release: Release;
  /** Default: every event passes at once. */
  readonly pass?: Pass;
}

/** The system's time and timers: the clock of an actor outside of tests. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, fire, { keepsAlive = true } = {}) {
    const timer = setTimeout(fire, delayMs);
    // In a browser a timer is a number.
    if (!keepsAlive && typeof timer === "object") timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Edge of a task without a journal: effects start at once. */
export const immediateEdge: Edge = {
  clock: systemClock,
  random: Math.random,
  release: (start) => start(),
};
