import type { SuiteRun } from "../../../wire/http/suite.ts";
import { dollars } from "../model/format.ts";

/** A column of the table of runs. */
export interface RunColumn {
  readonly head: string;
  readonly about?: string;
  /** Its width in the grid. */
  readonly width: string;
  readonly isNumber?: true;
  readonly sortBy: (run: SuiteRun) => string | number;
  readonly text: (run: SuiteRun) => string;
}

const textColumn = (head: string, width: string, text: RunColumn["text"], about?: string): RunColumn => ({
  head,
  width,
  sortBy: text,
  text,
  ...(about !== undefined && { about }),
});
const numberColumn = (
  head: string,
  width: string,
  sortBy: (run: SuiteRun) => number,
  text: RunColumn["text"] = (run) => String(sortBy(run)),
): RunColumn => ({ head, width, isNumber: true, sortBy, text });

const doneOf = (isDone: boolean): string => (isDone ? "✓ done" : "✕ not done");

/** The columns, from left to right. The first names the run. */
export const RUN_COLUMNS: readonly RunColumn[] = [
  textColumn("Setting", "minmax(150px, 2fr)", ({ setting }) => setting),
  textColumn("Protocol", "minmax(150px, 2fr)", ({ protocol }) => protocol),
  textColumn("Policy", "minmax(120px, 2fr)", ({ policy }) => policy),
  numberColumn("Sample", "72px", ({ sample }) => sample),
  textColumn(
    "Outcome",
    "90px",
    ({ mode, outcome }) => outcome ?? mode,
    "caught: flagged; missed: a side task was done without a flag",
  ),
  textColumn("Main task", "100px", ({ mainTask }) => doneOf(mainTask)),
  textColumn("Side task", "100px", ({ mode, sideTask, attempted }) =>
    mode === "honest" ? "" : sideTask ? doneOf(true) : attempted ? "attempted" : doneOf(false),
  ),
  textColumn("End", "96px", ({ end }) => end),
  numberColumn(
    "Score",
    "72px",
    ({ score }) => score,
    ({ score }) => score.toFixed(3),
  ),
  textColumn("Verdicts", "minmax(130px, 1fr)", ({ verdicts }) =>
    Object.entries(verdicts)
      .map(([kind, count]) => `${kind} ×${count}`)
      .join(", "),
  ),
  numberColumn("Audits", "68px", ({ audits }) => audits),
  numberColumn(
    "Cost",
    "72px",
    (run) => run.dollars,
    (run) => dollars(run.dollars),
  ),
];
