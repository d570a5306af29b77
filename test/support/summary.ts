import { createHash } from "node:crypto";
import type { PathEvent } from "../../verify/index.ts";

/** What stands for a value that is too long to be written down: another value has another. */
export const digest = (value: unknown, length: number): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, length);

/** How often each type happens, in the order in which they came first. */
export function countsOf(pathEvents: readonly PathEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { type } of pathEvents) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}
