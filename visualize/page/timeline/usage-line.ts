/** A value from an event on. Null: unknown. */
export interface Step {
  /** The position of the event, in pixels. */
  readonly x: number;
  readonly value: number | null;
}

/** The values of a step line from left to right, with at most one step for each pixel: the last one. */
export function usageLine(steps: Iterable<Step>): readonly Step[] {
  const line: Step[] = [];
  for (const step of steps) {
    const before = line.at(-1);
    if (before !== undefined && Math.floor(before.x) === Math.floor(step.x)) line.pop();
    line.push(step);
  }
  return line;
}

/** The largest known value of the steps; 0 without one. */
export const largest = (steps: Iterable<{ readonly value: number | null }>): number => {
  let most = 0;
  for (const { value } of steps) most = Math.max(most, value ?? 0);
  return most;
};
