/** Time as the edge knows it. Tests inject their own (L15). */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs `fire` once, `delayMs` from now. The function it gives takes that back. */
  after(delayMs: number, fire: () => void): () => void;
}

/** Lets an effect begin: `start` is called once what decided it is durable (L11). */
export type Release = (start: () => void) => void;

/**
 * Lets an event through to the machine: `deliver` is called at once, or once whoever holds it lets it go. What an actor
 * sends after a held event waits behind it.
 */
export type Pass = (event: { readonly type: string }, deliver: () => void) => void;

/** What every edge actor needs of the outside. */
export interface Edge {
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly release: Release;
  /** Default: every event passes at once. */
  readonly pass?: Pass;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, fire) {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The edge of a task without a journal: effects begin at once. */
export const immediateEdge: Edge = {
  clock: systemClock,
  random: Math.random,
  release: (start) => start(),
};
