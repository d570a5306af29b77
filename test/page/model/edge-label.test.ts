import { expect, it } from "vitest";
import { taskMachine } from "../../../machines/index.ts";
import { chartOf } from "../../../visualize/chart/chart-of.ts";
import { edgeTitle, labelLines } from "../../../visualize/page/model/edge-label.ts";
import { EdgePaths } from "../../../visualize/page/model/edge-paths.ts";
import { rowsByEdge, VisitCounter } from "../../../visualize/page/model/visit-counts.ts";
import type { Microstep } from "../../../visualize/trace/trace-event.ts";
import { TraceLog } from "../../../visualize/trace/trace-log.ts";
import { commit, snapshotOf, traceOf } from "../panes/trace.ts";

const chart = chartOf(taskMachine);
const MEASURED = "streaming.measuring -> streaming.receiving";
const edge = chart.edges.find(({ id }) => id === MEASURED)!;

/** A request that was prepared without hooks, and measured. */
const prepared = (seq: number) =>
  commit(seq, {
    cause: { type: "context.ready", at: 1_000 + seq },
    before: "streaming.preparing",
    after: "streaming.receiving",
    effects: [{ type: "effect.started", effect: "llm", id: "llm" }],
  });

/** The microsteps of a measurement, by the guard of the row that was taken. */
const measured = (guard?: string): readonly Microstep[] => [
  {
    event: "",
    transitions: [
      {
        source: "streaming.measuring",
        event: "",
        ...(guard !== undefined && { guard }),
        targets: ["streaming.receiving"],
      },
    ],
    actions: [],
  },
];

/** The counts of the edge of measurements in a trace with these microsteps. */
function countsOf(steps: readonly (readonly Microstep[] | undefined)[]) {
  const plain = traceOf(steps.map((_, at) => prepared(at + 1)));
  const events = [0, ...steps.keys()].map((_, seq) => {
    const microsteps = seq === 0 ? undefined : steps[seq - 1];
    return { ...plain.event(seq), ...(microsteps && { microsteps }) };
  });
  const trace = snapshotOf(new TraceLog("t", events));
  const visits = new VisitCounter(new EdgePaths(chart)).at(trace, steps.length);
  return rowsByEdge(visits).get(MEASURED) ?? [];
}

it("counts each row of an edge, and names a guard only where its row was taken", () => {
  const unguarded = countsOf([measured(), measured()]);
  expect(labelLines(edge, unguarded, false)).toEqual([{ text: "always", times: 2 }]);
  const both = countsOf([measured(), measured("isCompacting"), measured()]);
  expect(labelLines(edge, both, false)).toEqual([
    { text: "always", times: 2 },
    { text: "[isCompacting]", times: 1 },
  ]);
});

it("shows the rows that were not taken while the label is open, without a count", () => {
  const taken = countsOf([measured()]);
  expect(labelLines(edge, taken, true)).toEqual([
    { text: "always", times: 1 },
    { text: "[isCompacting]", times: 0 },
  ]);
  expect(edgeTitle(edge, taken).split("\n")).toEqual([
    MEASURED,
    "taken ×1: always",
    "possible: always [isCompacting]",
  ]);
});

it("names no guard where the journal doesn't record which of several rows was taken", () => {
  const inferred = countsOf([undefined, undefined]);
  expect(labelLines(edge, inferred, false)).toEqual([{ text: "always", times: 2 }]);
  expect(edgeTitle(edge, inferred)).toBe(
    `${MEASURED}\ntaken ×2: one of always [isCompacting], always (not recorded which)`,
  );
});

it("has at most two lines at rest, the most frequent rows first, and counts the others", () => {
  const rows = ["a", "b", "c"].map((event) => ({ event, actions: [] }));
  const wide = { id: "x -> y", source: "x", target: "y", rows };
  const taken = rows.map((row, at) => [{ edge: wide.id, rows: [row] }, at + 1] as const);
  expect(labelLines(wide, taken, false)).toEqual([
    { text: "c", times: 3 },
    { text: "+2", times: 0 },
  ]);
});
