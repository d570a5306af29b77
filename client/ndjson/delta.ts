import { suffixOf } from "../suffix.ts";

/** How a text became another one: by more at its end, by something put into it at one place, or altogether. */
export interface Change {
  readonly kind: "growth" | "insertion" | "whole";
  /** What was added or put in; of a text that is another one, all of it. */
  readonly delta: string;
}

/**
 * By what a text has changed. Its cost is linear in their length: parts are compared as wholes, which the engine does
 * ten times as fast as it looks for one text in another or at one character after another.
 */
export function changeOf(before: string, after: string): Change {
  const grown = suffixOf(before, after);
  if (grown !== undefined) return { kind: "growth", delta: grown };
  const inserted = after.length - before.length;
  if (inserted > 0) {
    const prefix = commonPrefix(before, after);
    if (after.slice(prefix + inserted) === before.slice(prefix))
      return { kind: "insertion", delta: after.slice(prefix, prefix + inserted) };
  }
  return { kind: "whole", delta: after };
}

/** How many characters two texts have in common at their start: by steps that double as long as they fit, then halve. */
function commonPrefix(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  let step = 1;
  const fits = (): boolean =>
    length + step <= most && one.slice(length, length + step) === other.slice(length, length + step);
  for (; fits(); step *= 2) length += step;
  for (; step >= 1; step /= 2) if (fits()) length += step;
  return length;
}
