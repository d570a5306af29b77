import { expect, it } from "vitest";
import { callMachine } from "../../../machines/tool-call/call.machine.ts";
import { chartOf } from "../../../visualize/chart/chart-of.ts";
import { formatRow } from "../../../visualize/chart/label.ts";
import { callPath, callPhases, countUntil } from "../../../visualize/page/model/call-path.ts";
import { EdgePaths, type TakenRow } from "../../../visualize/page/model/edge-paths.ts";
import type { TraceIndex } from "../../../visualize/page/model/trace-index.ts";
import { TraceLog } from "../../../visualize/trace/index.ts";
import { commit, snapshotOf, traceOf } from "../panes/trace.ts";

const move = (callId: string, by: string, from: string, to: string) => ({ callId, by, from, to });

const MOVES = [
  undefined,
  [move("c1", "completed", "planned", "deciding"), move("c2", "completed", "planned", "deciding")],
  [
    move("c1", "reviewed", "deciding", "decided"),
    move("c1", "hooks.started", "decided", "hooking"),
    move("c1", "hooks.passed", "hooking", "decided"),
    move("c1", "asked", "decided", "asking"),
  ],
];

const edgePaths = new EdgePaths(chartOf(callMachine));
const namesOf = (rows: Iterable<TakenRow>) =>
  [...rows].map(({ edge, rows: [row] }) => `${edge} by ${row === undefined ? "nothing" : formatRow(row)}`);

/** The index of a trace with the moves. */
function indexed(): TraceIndex {
  const plain = traceOf([commit(1), commit(2)]);
  const events = MOVES.map((moves, seq) => ({ ...plain.event(seq), ...(moves && { moves }) }));
  return snapshotOf(new TraceLog("t", events)).index;
}

const moved = () => indexed().moves;

it("a call has the phases that its moves passed, the last one as its phase, and the rows of the current event", () => {
  const { phase, visits } = callPath(indexed(), "c1", { edgePaths, at: 2, until: 1_002 });
  expect(phase).toBe("asking");
  expect([...visits.entries]).toEqual([
    ["planned", 1],
    ["deciding", 1],
    ["decided", 2],
    ["hooking", 1],
    ["asking", 1],
  ]);
  const later = [
    "deciding -> decided by reviewed",
    "decided -> hooking by hooks.started",
    "hooking -> decided by hooks.passed",
    "decided -> asking by asked",
  ];
  expect(namesOf(visits.rows.keys())).toEqual(["planned -> deciding by completed", ...later]);
  expect(namesOf(visits.last)).toEqual(later);
});

it("a call at an earlier event has only the moves up to it", () => {
  expect(callPath(indexed(), "c1", { edgePaths, at: 1, until: 1_001 }).phase).toBe("deciding");
  expect([...callPhases(moved(), countUntil(moved(), 0))]).toEqual([]);
  expect([...callPhases(moved(), countUntil(moved(), 1)).keys()]).toEqual(["c1", "c2"]);
  expect(callPhases(moved(), countUntil(moved(), 2)).get("c1")).toBe("asking");
});

it("a call stays in its phase until the given time, and takes no time in a phase that it only passes", () => {
  const { times } = callPath(indexed(), "c1", { edgePaths, at: 2, until: 61_002 }).visits;
  expect([...times]).toEqual([
    ["deciding", 1],
    ["asking", 60_000],
  ]);
});

it("a settled call lasts no longer", () => {
  const plain = traceOf([commit(1), commit(2)]);
  const moves = [move("c1", "refused", "planned", "settled")];
  const events = [0, 1, 2].map((seq) => ({ ...plain.event(seq), ...(seq === 1 && { moves }) }));
  const { index } = snapshotOf(new TraceLog("t", events));
  expect([...callPath(index, "c1", { edgePaths, at: 2, until: 61_002 }).visits.times]).toEqual([]);
});
