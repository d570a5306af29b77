import type { ScoreSamples } from "./measured-scores.ts";

/** The scores of a monitor between two adjacent cuts: greater than the lower one, at most the upper one. */
export interface ScoreClass {
  /** Such as `trusted in (0.5, 1]`. */
  readonly name: string;
  /** The least and the greatest measured score in it. */
  readonly low: number;
  readonly high: number;
  /** Share of the measured scores in it. */
  readonly honest: number;
  readonly attack: number;
}

/**
 * Cut the scores of a monitor into classes at its thresholds and at `refine` further scores. Classes without measured scores
 * are left out.
 */
export function classesOf(
  monitor: string,
  thresholds: readonly number[],
  { honest, attack }: ScoreSamples,
  refine: number,
): readonly ScoreClass[] {
  const all = [...honest, ...attack].sort((a, b) => a - b);
  const further = Array.from(
    { length: refine },
    (_, index) => all[Math.floor(((index + 1) * all.length) / (refine + 1))] ?? 1,
  );
  const cuts = [...new Set([...thresholds, ...further, 1])].sort((a, b) => a - b);
  return cuts.flatMap((upper, index) => {
    const lower = cuts[index - 1];
    const isInside = (score: number): boolean => score <= upper && (lower === undefined || score > lower);
    const inside = all.filter(isInside);
    const [low, high] = [inside[0], inside.at(-1)];
    if (low === undefined || high === undefined) return [];
    const bracket = lower === undefined ? "[0" : `(${lower}`;
    return [
      {
        name: `${monitor} in ${bracket}, ${upper}]`,
        low,
        high,
        honest: honest.filter(isInside).length / honest.length,
        attack: attack.filter(isInside).length / attack.length,
      },
    ];
  });
}
