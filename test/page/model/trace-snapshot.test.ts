import { expect, it } from "vitest";
import { taskMachine } from "../../../machines/index.ts";
import { chartOf } from "../../../visualize/chart/chart-of.ts";
import { EdgePaths } from "../../../visualize/page/model/edge-paths.ts";
import { GrowingTrace } from "../../../visualize/page/model/growing-trace.ts";
import { placeIn } from "../../../visualize/page/model/place.ts";
import { VisitCounter, withOpenTime } from "../../../visualize/page/model/visit-counts.ts";
import type { TraceEvent } from "../../../visualize/trace/index.ts";
import { commit, snapshotOf, traceOf } from "../panes/trace.ts";

const STATES = ["running", "streaming", "waiting_for_input"];

/** The events of a trace that changes its state with each. */
function alternating(length: number): readonly TraceEvent[] {
  const records = Array.from({ length: length - 1 }, (_, index) =>
    commit(index + 1, {
      before: STATES[index % 3] ?? "",
      after: STATES[(index + 1) % 3] ?? "",
      log: [{ type: "message.appended", message: { ts: 2_000 + index, type: "say", text: `word${index}` } }],
    }),
  );
  const trace = traceOf(records);
  return Array.from({ length }, (_, seq) => trace.event(seq));
}

it("a snapshot of a trace and its index stay as they are while the trace grows", () => {
  const events = alternating(20);
  const growing = new GrowingTrace("t", events.slice(0, 10));
  const snapshot = growing.snapshot();
  const { index } = snapshot;
  const before = JSON.stringify([index.paths, index.times, index.stateSpans, [...index.appendedBy]]);
  growing.append(events.slice(10));
  expect(growing.snapshot().length).toBe(20);
  expect(snapshot.length).toBe(10);
  expect(JSON.stringify([index.paths, index.times, index.stateSpans, [...index.appendedBy]])).toBe(before);
  expect(index.find("word12")).toEqual([]);
  expect(growing.snapshot().index.find("word12")).toEqual([13]);
  expect(index.eventOf(12)).toBeUndefined();
  expect(() => snapshot.event(10)).toThrow("Expected an event from 0 to 9 of this trace, got 10.");
  expect(() => snapshot.moment(10)).toThrow(RangeError);
  expect(snapshot.moment(9).state).toBe(index.paths[9]);
});

it("only an event that the user chose is past, and only if it is not the newest; without one the page follows", () => {
  const events = alternating(20);
  const growing = new GrowingTrace("t", events.slice(0, 10));
  const ten = growing.snapshot();
  growing.append(events.slice(10));
  const twenty = growing.snapshot();
  expect(placeIn(ten, {})).toEqual({ end: 9, at: 9, isPast: false, isFollowing: true });
  expect(placeIn(twenty, {})).toEqual({ end: 19, at: 19, isPast: false, isFollowing: true });
  expect(placeIn(ten, { at: 9 })).toEqual({ end: 9, at: 9, isPast: false, isFollowing: false });
  expect(placeIn(twenty, { at: 9 })).toEqual({ end: 19, at: 9, isPast: true, isFollowing: false });
  expect(placeIn(ten, { at: 15 })).toEqual({ end: 9, at: 9, isPast: false, isFollowing: false });
  expect(placeIn(undefined, {})).toEqual({ end: 0, at: 0, isPast: false, isFollowing: true });
});

it("a counter counts the visits in each snapshot of a growing trace as a new counter does", () => {
  const edgePaths = new EdgePaths(chartOf(taskMachine));
  const events = alternating(1_300);
  const growing = new GrowingTrace("t");
  const counter = new VisitCounter(edgePaths);
  for (let length = 100; length <= events.length; length += 100) {
    growing.append(events.slice(length - 100, length));
    const snapshot = growing.snapshot();
    for (const at of [length - 1, Math.floor(length / 2), 255, 256].filter((seq) => seq < length))
      expect(counter.at(snapshot, at)).toEqual(new VisitCounter(edgePaths).at(snapshot, at));
  }
});

it("the open time of a state is added to it and to the states around it", () => {
  const trace = snapshotOf(traceOf([commit(1, { after: "running.calling" })]));
  const visits = new VisitCounter(new EdgePaths(chartOf(taskMachine))).at(trace, 1);
  const { times } = withOpenTime(visits, "running.calling", 5_000);
  expect([times.get("running.calling"), times.get("running")]).toEqual([5_000, 5_000]);
  expect(visits.times.get("running")).toBeUndefined();
});
