import { ControlError } from "../error.ts";

/**
 * The value below which a share of the values is, by linear interpolation between the two nearest ranks (the default of
 * NumPy). `share`: from 0 to 1.
 *
 * @throws ControlError `MEASUREMENT_INVALID` without values, for a value that is no finite number, and for another share
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = (sorted.length - 1) * share;
  const below = sorted[Math.floor(rank)];
  const above = sorted[Math.ceil(rank)];
  if (share < 0 || share > 1 || below === undefined || above === undefined || !sorted.every(Number.isFinite))
    throw new ControlError(
      "MEASUREMENT_INVALID",
      `Expected finite values and a share from 0 to 1, got the values [${values.slice(0, 5).join(", ")}] and the share ${share}. Correct them.`,
    );
  return below + (above - below) * (rank - Math.floor(rank));
}
