import { expect, it } from "vitest";
import { TraceLog, Tracer } from "../../../trace/index.ts";
import { indexOf } from "../../../visualize/page/model/trace-index.ts";
import { lineOf, marksOf } from "../../../visualize/page/shell/line.ts";
import type { JournalRecord } from "../../../wire/index.ts";

const STATES = ["running", "streaming", "waiting_for_input"];

/** A task that changes its state with each event. */
function restless(length: number): TraceLog {
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

const pieces = (path: string): number => path.split("M").length - 1;

it("draws each change of a short trace: a bar in its lane, and what joins it to the next", () => {
  const { joins, runs } = lineOf(indexOf(restless(7)), 7);
  expect(runs.streaming).toBe("M1 25H2V31H1ZM4 25H5V31H4Z");
  expect([pieces(runs.running), pieces(runs.waiting_for_input), pieces(joins)]).toEqual([2, 2, 6]);
  expect(runs.idle).toBe("");
});

it("draws no more pieces of a long trace than a screen has columns", () => {
  const { joins, runs } = lineOf(indexOf(restless(50_000)), 50_000);
  for (const path of [joins, ...Object.values(runs)]) expect(pieces(path)).toBeLessThanOrEqual(2_001);
  const places = Array.from({ length: 50_000 }, (_, seq) => seq);
  expect(pieces(marksOf(places, 50_000, 66))).toBeLessThanOrEqual(2_001);
});
