import { createHash } from "node:crypto";
import type { PathEvent } from "../../verify/index.ts";

/** A hash of a value that is too long for a committed text. */
export const digest = (value: unknown, length: number): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, length);

/** The number of events of each type, in order of first occurrence. */
export function countsOf(pathEvents: readonly PathEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { type } of pathEvents) counts.set(type, (counts.get(type) ?? 0) + 1);
  return counts;
}
