import { describe, expect, it } from "vitest";
import { counterpartOf, firstDifference } from "../../../visualize/page/model/difference.ts";
import { type TraceEvent, TraceLog, traceOfJournal } from "../../../visualize/trace/index.ts";
import { traceEventSchema } from "../../../wire/http/trace.ts";
import { liveTask } from "../../support/recorded-traces.ts";

const { records, live } = await liveTask();
const recorded = traceOfJournal(records);
const logOf = (events: readonly TraceEvent[]): TraceLog => new TraceLog(events[0]?.taskId ?? "", events);
/** As a server sends them: the fields may stand in another order. */
const sent = (events: readonly TraceEvent[]): readonly TraceEvent[] =>
  events.map((event) => traceEventSchema.parse(JSON.parse(JSON.stringify(event))));

describe("two traces", () => {
  it("of the same run do not differ if one is live: growth of streamed text is in no journal", () => {
    expect(live.length).toBeGreaterThan(recorded.length);
    for (const events of [recorded, sent(recorded), live, sent(live)]) {
      expect(firstDifference(logOf(live), logOf(events))).toBeUndefined();
      expect(firstDifference(logOf(events), logOf(live))).toBeUndefined();
    }
  });

  it("have counterparts of their events, by record", () => {
    for (const { seq, record } of live) {
      const counterpart = counterpartOf(seq, logOf(live), logOf(recorded));
      expect(recorded[counterpart]?.record.seq).toBe(record.seq);
    }
    const short = logOf(recorded.slice(0, 5));
    expect(counterpartOf(live.length - 1, logOf(live), short)).toBe(short.length);
  });

  it("differ where one ends, and where an event or a text differs, each at its own number", () => {
    const first = live.findIndex(({ record }) => record.seq === 8);
    const short = logOf(recorded.slice(0, 8));
    expect(firstDifference(logOf(live), short)).toEqual({
      at: first,
      otherAt: 8,
      what: "the second trace ends here",
    });
    const changed = recorded.map((event) =>
      event.seq === 8 && event.record.kind === "commit"
        ? { ...event, record: { ...event.record, cause: { type: "task.cancel", at: 0 } } }
        : event,
    );
    expect(firstDifference(logOf(live), logOf(changed))).toMatchObject({ at: first, otherAt: 8 });
    const prompt = recorded.findIndex(({ record }) => record.kind === "commit" && record.log.length > 0);
    const reworded = recorded.map((event) =>
      event.seq === prompt && event.record.kind === "commit"
        ? {
            ...event,
            record: {
              ...event.record,
              log: event.record.log.map((change) =>
                change.type === "message.appended"
                  ? { ...change, message: { ...change.message, text: "Something else" } }
                  : change,
              ),
            },
          }
        : event,
    );
    expect(firstDifference(logOf(recorded), logOf(reworded))).toEqual({
      at: prompt,
      otherAt: prompt,
      what: "messages",
    });
  });
});
