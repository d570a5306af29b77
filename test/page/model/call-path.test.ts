import { expect, it } from "vitest";
import { callPath, callPhases, countUntil } from "../../../visualize/page/model/call-path.ts";
import { TraceIndex } from "../../../visualize/page/model/trace-index.ts";
import { TraceLog } from "../../../visualize/trace/index.ts";
import { commit, traceOf } from "../panes/trace.ts";

const move = (callId: string, from: string, to: string) => ({ callId, by: "any", from, to });

const MOVES = [
  undefined,
  [move("c1", "planned", "deciding"), move("c2", "planned", "deciding")],
  [move("c1", "deciding", "decided"), move("c1", "decided", "asking")],
];

/** The moves as the index of a trace has them. */
function moved() {
  const plain = traceOf([commit(1), commit(2)]);
  const events = MOVES.map((moves, seq) => ({ ...plain.event(seq), ...(moves && { moves }) }));
  return new TraceIndex(new TraceLog("t", events)).update().moves;
}

it("a call has the phases that its moves passed, the last one as its phase, and the moves of the current event", () => {
  const { phase, visits } = callPath(moved(), "c1", countUntil(moved(), 2), 2);
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
  expect(callPath(moved(), "c1", countUntil(moved(), 1), 1).phase).toBe("deciding");
  expect([...callPhases(moved(), countUntil(moved(), 0))]).toEqual([]);
  expect([...callPhases(moved(), countUntil(moved(), 1)).keys()]).toEqual(["c1", "c2"]);
  expect(callPhases(moved(), countUntil(moved(), 2)).get("c1")).toBe("asking");
});
