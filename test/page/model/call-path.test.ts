import { expect, it } from "vitest";
import { callPath, callPhases, countUntil } from "../../../visualize/page/model/call-path.ts";
import type { TraceIndex } from "../../../visualize/page/model/trace-index.ts";
import { TraceLog } from "../../../visualize/trace/index.ts";
import { commit, snapshotOf, traceOf } from "../panes/trace.ts";

const move = (callId: string, from: string, to: string) => ({ callId, by: "any", from, to });

const MOVES = [
  undefined,
  [move("c1", "planned", "deciding"), move("c2", "planned", "deciding")],
  [move("c1", "deciding", "decided"), move("c1", "decided", "asking")],
];

/** The index of a trace with the moves. */
function indexed(): TraceIndex {
  const plain = traceOf([commit(1), commit(2)]);
  const events = MOVES.map((moves, seq) => ({ ...plain.event(seq), ...(moves && { moves }) }));
  return snapshotOf(new TraceLog("t", events)).index;
}

const moved = () => indexed().moves;

it("a call has the phases that its moves passed, the last one as its phase, and the moves of the current event", () => {
  const { phase, visits } = callPath(indexed(), "c1", { at: 2, until: 1_002 });
  expect(phase).toBe("asking");
  expect([...visits.entries.keys()]).toEqual(["planned", "deciding", "decided", "asking"]);
  expect([...visits.edges.keys()]).toEqual([
    "planned -> deciding",
    "deciding -> decided",
    "decided -> asking",
  ]);
  expect(visits.last).toEqual(["deciding -> decided", "decided -> asking"]);
});

it("a call at an earlier event has only the moves up to it", () => {
  expect(callPath(indexed(), "c1", { at: 1, until: 1_001 }).phase).toBe("deciding");
  expect([...callPhases(moved(), countUntil(moved(), 0))]).toEqual([]);
  expect([...callPhases(moved(), countUntil(moved(), 1)).keys()]).toEqual(["c1", "c2"]);
  expect(callPhases(moved(), countUntil(moved(), 2)).get("c1")).toBe("asking");
});

it("a call stays in its phase until the given time, and takes no time in a phase that it only passes", () => {
  const { times } = callPath(indexed(), "c1", { at: 2, until: 61_002 }).visits;
  expect([...times]).toEqual([
    ["deciding", 1],
    ["asking", 60_000],
  ]);
});

it("a settled call lasts no longer", () => {
  const plain = traceOf([commit(1), commit(2)]);
  const moves = [move("c1", "planned", "settled")];
  const events = [0, 1, 2].map((seq) => ({ ...plain.event(seq), ...(seq === 1 && { moves }) }));
  const { index } = snapshotOf(new TraceLog("t", events));
  expect([...callPath(index, "c1", { at: 2, until: 61_002 }).visits.times]).toEqual([]);
});
