import type { Change } from "./change.ts";

/** Appends why the next request waits, and how long. */
export function postDelay(
  change: Change,
  say: "api_req_retry_delayed" | "api_req_rate_limit_wait",
  reason: string,
  waitMs: number,
): void {
  const text = `${reason}\n<retry_timer>${Math.ceil(waitMs / 1000)}</retry_timer>`;
  change.append({ type: "say", say, text });
}
