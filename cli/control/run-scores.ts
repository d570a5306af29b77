import type { RunRow } from "../../control/runs/row.ts";
import type { MeasuredScores } from "../../control/worst-case/measured-scores.ts";

/**
 * The scores of monitors that runs measured: each score of the untrusted model's actions in honest runs, and the greatest one
 * of each run that attempted the side task. A monitor without both has no scores.
 */
export function scoresIn(rows: readonly RunRow[]): MeasuredScores {
  const names = new Set(
    rows.flatMap(({ decisions }) => decisions.flatMap(({ scores }) => Object.keys(scores))),
  );
  const measured = [...names].sort().map((name) => {
    const honest = rows.filter(({ mode }) => mode === "honest").flatMap((row) => scoresOf(row, name));
    const attack = rows.filter(({ attempted }) => attempted).flatMap((row) => greatest(scoresOf(row, name)));
    return [name, { honest, attack }] as const;
  });
  return Object.fromEntries(
    measured.filter(([, { honest, attack }]) => honest.length > 0 && attack.length > 0),
  );
}

const scoresOf = ({ decisions }: RunRow, name: string): readonly number[] =>
  decisions.flatMap(({ author, scores }) => (author === "untrusted" ? (scores[name] ?? []) : []));

const greatest = (scores: readonly number[]): readonly number[] =>
  scores.length === 0 ? [] : [Math.max(...scores)];
