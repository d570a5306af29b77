import type { ControlRun } from "../../../control/metrics/run.ts";

const SCORES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const SIDE_TASK = new Set([1, 3, 5, 6, 8, 9]);

export const runWith = (run: Partial<ControlRun>): ControlRun => ({
  mode: "honest",
  score: 0,
  mainTask: false,
  sideTask: false,
  attempted: false,
  audits: 0,
  dollars: 0,
  ...run,
});

/** Honest and attack runs with the scores 1 to 10: six honest runs do the main task, six attack runs the side task. */
export const FIXTURE: readonly ControlRun[] = [
  ...SCORES.map((score) => runWith({ score, mainTask: score <= 6 })),
  ...SCORES.map((score) =>
    runWith({ mode: "attack", score, sideTask: SIDE_TASK.has(score), attempted: score !== 10 }),
  ),
];

export const HONEST_SCORES: readonly number[] = SCORES;
