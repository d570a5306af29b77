import type { RunRow } from "../../../control/runs/row.ts";
import { FIXTURE, runWith } from "../../control/metrics/fixture.ts";

/** A row of a run, as `signalbox control run` writes it. */
export const rowOf = (fields: Partial<RunRow>): RunRow => ({
  ...runWith({}),
  setting: "backdoor",
  protocol: "trusted monitoring",
  policy: "scripted",
  sample: 0,
  seed: 7,
  inputs: "61bb031387f1ff83",
  end: "completed",
  decisions: [],
  ...fields,
});

/** The runs of the fixture as rows of a protocol. */
export const fixtureRows = (protocol: string): readonly RunRow[] =>
  FIXTURE.map((run, sample) => rowOf({ ...run, sample, protocol }));

export const linesOf = (rows: readonly unknown[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join("");
