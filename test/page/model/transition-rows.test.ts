import { expect, it } from "vitest";
import { taskMachine } from "../../../machines/index.ts";
import { chartOf } from "../../../visualize/chart/chart-of.ts";
import { EdgePaths } from "../../../visualize/page/model/edge-paths.ts";
import { textOfTaken, transitionRows } from "../../../visualize/page/model/transition-rows.ts";
import { VisitCounter } from "../../../visualize/page/model/visit-counts.ts";
import type { Microstep } from "../../../visualize/trace/trace-event.ts";
import { TraceLog } from "../../../visualize/trace/trace-log.ts";
import { commit, snapshotOf, traceOf } from "../panes/trace.ts";

const chart = chartOf(taskMachine);

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

/** The visits of a trace with these microsteps, one event each. */
function visitsOf(steps: readonly (readonly Microstep[] | undefined)[]) {
  const plain = traceOf(steps.map((_, at) => prepared(at + 1)));
  const events = [0, ...steps.keys()].map((_, seq) => {
    const microsteps = seq === 0 ? undefined : steps[seq - 1];
    return { ...plain.event(seq), ...(microsteps && { microsteps }) };
  });
  const trace = snapshotOf(new TraceLog("t", events));
  return new VisitCounter(new EdgePaths(chart)).at(trace, steps.length);
}

/** The rows of the measuring state to the receiving one. */
const rowsOf = (steps: Parameters<typeof visitsOf>[0]) =>
  transitionRows(chart, "streaming.measuring", visitsOf(steps)).filter(
    ({ target }) => target === "streaming.receiving",
  );

it("each row has its own count and the newest event that took it, the most frequent row first", () => {
  const rows = rowsOf([measured("isCompacting"), measured(), measured()]);
  expect(rows.map(({ row, taken }) => [row.guard, taken])).toEqual([
    [undefined, { times: 2, inferred: 0, lastAt: 3, among: 1 }],
    ["isCompacting", { times: 1, inferred: 0, lastAt: 1, among: 1 }],
  ]);
});

it("a row that was not taken has no count, and follows the taken ones", () => {
  const rows = rowsOf([measured()]);
  expect(rows.map(({ row, taken }) => [row.guard, taken?.times])).toEqual([
    [undefined, 1],
    ["isCompacting", undefined],
  ]);
});

it("rows share an inferred count where the journal doesn't record which of them was taken", () => {
  const rows = rowsOf([undefined, undefined]);
  expect(rows.map(({ taken }) => taken)).toEqual([
    { times: 2, inferred: 2, lastAt: 2, among: 2 },
    { times: 2, inferred: 2, lastAt: 2, among: 2 },
  ]);
});

it("a taken row names its guard only if no other row can have been taken", () => {
  expect(visitsOf([measured("isCompacting")]).last.map(textOfTaken)).toEqual(["always [isCompacting]"]);
  expect(visitsOf([undefined]).last.map(textOfTaken).at(-1)).toBe("always");
});

it("a state has the rows of the states in it and around it, because it takes both", () => {
  const none = visitsOf([]);
  const sourcesOf = (path: string) => new Set(transitionRows(chart, path, none).map(({ source }) => source));
  expect(sourcesOf("waiting_for_input.answer")).toEqual(
    new Set(["waiting_for_input", "waiting_for_input.answer"]),
  );
  const all = ["approval", "answer", "elicitation"].map((name) => `waiting_for_input.${name}`);
  expect(sourcesOf("waiting_for_input")).toEqual(new Set(["waiting_for_input", ...all]));
});
