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

export const MAX_WIDTH = 160;

/** Wrap lines longer than 160 characters. Continuation lines are indented. */
export function wrapLines(text: string): string {
  return text
    .split("\n")
    .flatMap((line) => {
      const lines: string[] = [];
      const indent = `${/^ */.exec(line)?.[0] ?? ""}      `;
      let remaining = line;
      while (remaining.length > MAX_WIDTH) {
        const end = remaining.slice(0, MAX_WIDTH).search(/[ ,](?=[^ ,]*$)/);
        const cut = end > MAX_WIDTH / 2 ? end + 1 : MAX_WIDTH;
        lines.push(remaining.slice(0, cut).trimEnd());
        remaining = indent + remaining.slice(cut);
      }
      return [...lines, remaining];
    })
    .join("\n");
}
