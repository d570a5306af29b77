import type { Clock } from "../../ports/clock.ts";
import { ModelError } from "./model-error.ts";

export interface WatchdogOptions {
  readonly clock: Clock;
  /** Maximum time without an item, in milliseconds (up to a quarter more). */
  readonly idleTimeoutMs: number;
  /** Number of items read so far. */
  readonly count: () => number;
  /** Called once, with the `idle_timeout` error. */
  readonly onIdle: (error: ModelError) => void;
}

/** Checks per timeout. An item only increments a counter: it costs no timer and no clock read. */
const CHECKS = 4;

/** Report a stream whose item counter stops growing. Returns a function that stops the watchdog. */
export function startWatchdog({ clock, idleTimeoutMs, count, onIdle }: WatchdogOptions): () => void {
  let seen = count();
  let silentChecks = 0;
  let cancel = (): void => {};
  const check = (): void => {
    const now = count();
    silentChecks = now === seen ? silentChecks + 1 : 0;
    seen = now;
    if (silentChecks >= CHECKS) onIdle(idleTimeout(idleTimeoutMs));
    else cancel = clock.after(idleTimeoutMs / CHECKS, check);
  };
  cancel = clock.after(idleTimeoutMs / CHECKS, check);
  return () => cancel();
}

function idleTimeout(idleTimeoutMs: number): ModelError {
  return new ModelError(
    "idle_timeout",
    `Expected a stream event within ${idleTimeoutMs} ms, received none. Try again, or raise idleTimeoutMs.`,
    { retryable: true },
  );
}
