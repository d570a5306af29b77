import { expect, it } from "vitest";
import { markerPath, timelinePaths } from "../../../visualize/page/shell/timeline-paths.ts";
import { TraceLog } from "../../../visualize/trace/index.ts";
import { Tracer } from "../../../visualize/trace/tracer.ts";
import type { JournalRecord } from "../../../wire/journal/record.ts";
import { snapshotOf } from "../panes/trace.ts";

const STATES = ["running", "streaming", "waiting_for_input"];

/** A trace that changes the state with each event. */
function alternating(length: number): TraceLog {
  const tracer = new Tracer("t");
  const trace = new TraceLog("t");
  for (let seq = 0; seq < length; seq += 1) {
    const after = STATES[seq % 3] ?? "";
    const record: JournalRecord =
      seq === 0
        ? { seq: 0, kind: "header", version: 2, taskId: "t", createdAt: 0 }
        : {
            ...{ seq, kind: "commit", at: seq, before: STATES[(seq + 2) % 3] ?? "", after, log: [] },
            ...{ conversation: [], decisions: [], turnEnded: false, calls: [], effects: [], reports: [] },
          };
    trace.append(tracer.add(record));
  }
  return trace;
}

const segments = (path: string): number => path.split("M").length - 1;

it("shows each state change of a short trace as a bar and a connecting line", () => {
  const { joins, spans } = timelinePaths(snapshotOf(alternating(7)).index, 7);
  expect(spans.streaming).toBe("M1 25H2V31H1ZM4 25H5V31H4Z");
  expect([segments(spans.running), segments(spans.waiting_for_input), segments(joins)]).toEqual([2, 2, 6]);
  expect(spans.idle).toBe("");
});

it("renders at most one segment per column of a long trace", () => {
  const { joins, spans } = timelinePaths(snapshotOf(alternating(50_000)).index, 50_000);
  for (const path of [joins, ...Object.values(spans)]) expect(segments(path)).toBeLessThanOrEqual(2_001);
  const places = Array.from({ length: 50_000 }, (_, seq) => seq);
  expect(segments(markerPath(places, 50_000, 66))).toBeLessThanOrEqual(2_001);
});
