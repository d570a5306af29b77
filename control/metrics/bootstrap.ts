import { uniformInt } from "pure-rand/distribution/uniformInt";
import { mersenne } from "pure-rand/generator/mersenne";
import { ControlError } from "../error.ts";
import { percentile } from "./percentile.ts";
import { type ControlRun, MODES } from "./run.ts";

export interface BootstrapOptions {
  /** A whole number. The same seed gives the same interval. */
  readonly seed: number;
  /** Number of resampled sets. Default 1,000. */
  readonly resamples?: number;
  /** Share of the resampled values in the interval, from 0 to 1. Default 0.95. */
  readonly level?: number;
}

/** An interval of a statistic. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The bootstrap interval of a statistic: its percentiles over sets of runs that are drawn with replacement, separately for
 * each mode.
 *
 * @example
 * ```ts
 * import { bootstrap } from "signalbox/control";
 * const runs = [3, 5, 8].map((score) => ({ mode: "attack" as const, score }));
 * const meanOf = (drawn: readonly { score: number }[]) =>
 *   drawn.reduce((sum, { score }) => sum + score, 0) / drawn.length;
 * const { low, high } = bootstrap(runs, meanOf, { seed: 1 });
 * console.log(3 <= low && low <= high && high <= 8); // true
 * ```
 *
 * @throws ControlError `MEASUREMENT_INVALID` without runs, and for an option that is out of range
 */
export function bootstrap<Run extends Pick<ControlRun, "mode">>(
  runs: readonly Run[],
  statistic: (runs: readonly Run[]) => number,
  { seed, resamples = 1_000, level = 0.95 }: BootstrapOptions,
): Interval {
  const valid = Number.isSafeInteger(seed) && Number.isSafeInteger(resamples) && resamples > 0;
  if (!valid || level < 0 || level > 1)
    throw new ControlError(
      "MEASUREMENT_INVALID",
      `Expected a whole seed, at least one resampled set and a level from 0 to 1, got ${seed}, ${resamples} and ${level}. Correct them.`,
    );
  const random = mersenne(seed);
  const strata = MODES.map((mode) => runs.filter((run) => run.mode === mode));
  const drawn = (): readonly Run[] =>
    strata.flatMap((stratum) =>
      stratum.flatMap(() => stratum[uniformInt(random, 0, stratum.length - 1)] ?? []),
    );
  const values = Array.from({ length: resamples }, () => statistic(drawn()));
  return { low: percentile(values, (1 - level) / 2), high: percentile(values, (1 + level) / 2) };
}
