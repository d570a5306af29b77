import type { MeasuredScores } from "../../../control/worst-case/measured-scores.ts";

/** 40 scores around a center, without randomness. */
const around = (center: number, width: number): readonly number[] =>
  Array.from({ length: 40 }, (_, index) => {
    const score = center + width * Math.sin(index * 2.4) * Math.abs(Math.cos(index));
    return Math.round(Math.min(1, Math.max(0, score)) * 1_000) / 1_000;
  });

const [weak, strong] = [
  { honest: around(0.3, 0.4), attack: around(0.55, 0.5) },
  { honest: around(0.2, 0.35), attack: around(0.7, 0.45) },
];

/** Scores for the monitors of all shipped protocols. */
export const MEASURED: MeasuredScores = {
  trusted: weak,
  untrusted: strong,
  command: weak,
  files: strong,
  purpose: { honest: around(0.1, 0.3), attack: around(0.4, 0.5) },
};
