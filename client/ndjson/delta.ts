/** How a text became another one: by more at its end, by something put into it at one place, or altogether. */
export interface Change {
  readonly kind: "growth" | "insertion" | "whole";
  /** What was added or put in; of a text that is another one, all of it. */
  readonly delta: string;
}

/** By what a text has changed. It reads each text once, so its cost is linear in their length. */
export function changeOf(before: string, after: string): Change {
  if (after.startsWith(before)) return { kind: "growth", delta: after.slice(before.length) };
  const inserted = after.length - before.length;
  if (inserted > 0) {
    let prefix = 0;
    while (before.charCodeAt(prefix) === after.charCodeAt(prefix)) prefix += 1;
    if (after.endsWith(before.slice(prefix)))
      return { kind: "insertion", delta: after.slice(prefix, prefix + inserted) };
  }
  return { kind: "whole", delta: after };
}
