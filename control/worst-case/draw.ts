import type { PolicyMode } from "../metrics/run.ts";
import type { Scores } from "../monitor.ts";
import type { ScoreClass } from "./score-class.ts";

/** The classes that the monitors of a point draw for one action. */
export interface Draw {
  readonly probability: number;
  /** The names of the classes, one for each monitor. */
  readonly name: string;
  readonly low: Scores;
  readonly high: Scores;
}

/** All draws of independent monitors, with their probabilities. Impossible ones are left out. */
export const drawsOf = (
  monitors: readonly (readonly [name: string, classes: readonly ScoreClass[]])[],
  mode: PolicyMode,
): readonly Draw[] =>
  monitors.reduce<readonly Draw[]>(
    (draws, [monitor, classes]) =>
      draws.flatMap((draw) =>
        classes
          .filter((each) => each[mode] > 0)
          .map((each) => ({
            probability: draw.probability * each[mode],
            name: draw.name === "" ? each.name : `${draw.name}, ${each.name}`,
            low: { ...draw.low, [monitor]: each.low },
            high: { ...draw.high, [monitor]: each.high },
          })),
      ),
    [{ probability: 1, name: "", low: {}, high: {} }],
  );

/** An interval of the number that is drawn for a decision. */
export interface Chance {
  readonly probability: number;
  /** The least number in it, and one between the least and the greatest. */
  readonly low: number;
  readonly high: number;
}

/** The intervals between the cuts of a protocol. */
export function chancesOf(cuts: readonly number[]): readonly Chance[] {
  const bounds = [...new Set([0, ...cuts, 1])].sort((a, b) => a - b);
  return bounds.slice(1).map((upper, index) => {
    const low = bounds[index] ?? 0;
    return { probability: upper - low, low, high: (low + upper) / 2 };
  });
}
