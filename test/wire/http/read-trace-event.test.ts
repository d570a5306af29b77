import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { TraceEvent } from "../../../visualize/trace/index.ts";
import { Tracer } from "../../../visualize/trace/tracer.ts";
import { readTraceEvent } from "../../../wire/http/read-trace-event.ts";
import { traceEventSchema } from "../../../wire/http/trace.ts";
import { parseRecord } from "../../../wire/journal/parse-record.ts";

const JOURNALS = ["v1/asking", "v1/commanding", "v1/failed", "v2/approving", "v2/commanding", "v2/delegated"];

const eventsOf = (name: string): readonly TraceEvent[] => {
  const tracer = new Tracer("t");
  const file = new URL(`../../fixtures/journals/${name}.jsonl`, import.meta.url);
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .flatMap((line) => {
      const parsed = parseRecord(JSON.parse(line));
      return parsed.success ? [tracer.add(parsed.data)] : [];
    });
};

/** A value after transport as JSON. */
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const GROWN = {
  seq: 3,
  taskId: "t",
  from: "llm:r1",
  because: 1,
  record: {
    seq: 3,
    kind: "commit",
    at: 5,
    cause: { type: "llm.text.delta", at: 5, requestId: "r1" },
    before: "streaming.receiving",
    after: "streaming.receiving",
    log: [{ type: "message.grown", ts: 4, text: "more" }],
    conversation: [],
    decisions: [],
    turnEnded: false,
    calls: [],
    effects: [],
    reports: [],
  },
};

const MOVE = { callId: "c1", by: "started", from: "approved", to: "running" };

describe("readTraceEvent", () => {
  it.each(JOURNALS)("returns the same as the schema: %s", (name) => {
    for (const event of eventsOf(name))
      expect(readTraceEvent(sent(event))).toEqual({
        success: true,
        data: traceEventSchema.parse(sent(event)),
      });
  });

  it("returns the same as the schema for growth, events that are not durable, and fields of an inspected machine", () => {
    for (const more of [{}, { durable: false }, { microsteps: [] }, { moves: [MOVE] }, { next: "Waits." }])
      expect(readTraceEvent({ ...GROWN, ...more })).toEqual({
        success: true,
        data: traceEventSchema.parse({ ...GROWN, ...more }),
      });
  });

  it.each([
    ["a negative seq", { ...GROWN, seq: -1 }],
    ["a fractional cause", { ...GROWN, because: 0.5 }],
    ["a task id that is a number", { ...GROWN, taskId: 7 }],
    [
      "growth with a ts that is text",
      { ...GROWN, record: { ...GROWN.record, log: [{ type: "message.grown", ts: "4", text: "" }] } },
    ],
    ["a log that is text", { ...GROWN, record: { ...GROWN.record, log: "messages" } }],
    ["a state that is a number", { ...GROWN, record: { ...GROWN.record, after: 1 } }],
    ["text", "commit"],
  ])("rejects what the schema rejects, with a problem: %s", (_, json) => {
    expect(traceEventSchema.safeParse(json).success).toBe(false);
    expect(readTraceEvent(json)).toMatchObject({ success: false, problem: expect.stringMatching(/./) });
  });
});
