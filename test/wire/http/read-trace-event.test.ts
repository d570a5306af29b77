import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type TraceEvent, Tracer } from "../../../trace/index.ts";
import { parseRecord, readTraceEvent, traceEventSchema } from "../../../wire/index.ts";

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

/** As it comes over a line. */
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

describe("an event that is read the quick way", () => {
  it.each(JOURNALS)("is what the schema makes of it: %s", (name) => {
    for (const event of eventsOf(name))
      expect(readTraceEvent(sent(event))).toEqual({
        success: true,
        data: traceEventSchema.parse(sent(event)),
      });
  });

  it("is what the schema makes of it where a row grew, was not durable, or has microsteps", () => {
    for (const more of [{}, { durable: false }, { microsteps: [] }])
      expect(readTraceEvent({ ...GROWN, ...more })).toEqual({
        success: true,
        data: traceEventSchema.parse({ ...GROWN, ...more }),
      });
  });

  it.each([
    ["a place that is none", { ...GROWN, seq: -1 }],
    ["a cause before the beginning", { ...GROWN, because: 0.5 }],
    ["a task without a name", { ...GROWN, taskId: 7 }],
    [
      "growth of no row",
      { ...GROWN, record: { ...GROWN.record, log: [{ type: "message.grown", ts: "4", text: "" }] } },
    ],
    ["a log that is none", { ...GROWN, record: { ...GROWN.record, log: "rows" } }],
    ["a state that is none", { ...GROWN, record: { ...GROWN.record, after: 1 } }],
    ["a text", "commit"],
  ])("is refused in words, as the schema does: %s", (_, json) => {
    expect(traceEventSchema.safeParse(json).success).toBe(false);
    expect(readTraceEvent(json)).toMatchObject({ success: false, problem: expect.stringMatching(/./) });
  });
});
