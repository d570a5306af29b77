import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { PersistentList } from "../../../machines/list/list.ts";
import { detectAgentState } from "../../../machines/message/detect.ts";
import { applyLogEvent, emptyLog, type LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { StateTracker } from "../../../machines/message/tracker.ts";
import { test } from "../../support/prop.ts";
import { foreignEvent, message } from "./arbitraries.ts";

const request = (ts: number, text: string): ClineMessage => ({
  ts,
  type: "say",
  say: "api_req_started",
  text,
});
const longLog = (length: number) =>
  Array.from({ length }, (_, ts) =>
    ts % 5 === 0
      ? request(ts, '{"cost":1}')
      : ({ ts, type: "say", say: "text", text: "x" } satisfies ClineMessage),
  );

afterEach(() => {
  vi.restoreAllMocks();
});

describe("StateTracker", () => {
  test.prop([fc.array(message(fc.nat(12)), { maxLength: 8 }), fc.array(foreignEvent(), { maxLength: 40 })], {
    numRuns: 400,
  })(
    "always equals detectAgentState of the whole log: amended, truncated, replaced, with duplicate ts and unknown kinds (L2)",
    (initial, events) => {
      const tracker = new StateTracker(initial);
      expect(tracker.info).toEqual(detectAgentState(initial));
      for (const event of events) {
        expect(tracker.apply(event)).toEqual(detectAgentState(tracker.log.toArray()));
        expect(tracker.info.lastMessage).toBe(tracker.log.at(-1));
      }
    },
  );

  test.prop([fc.array(foreignEvent(), { maxLength: 30 })])(
    "has the log that results from folding the events (L2)",
    (events) => {
      const tracker = new StateTracker();
      for (const event of events) tracker.apply(event);
      expect(tracker.log.toArray()).toEqual(events.reduce(applyLogEvent, emptyLog).toArray());
    },
  );

  it("uses an older request after the newer one was truncated (L2)", () => {
    const tracker = new StateTracker([request(1, "{}"), request(2, '{"cost":1}')]);
    expect(tracker.info.state).toBe("running");
    expect(tracker.apply({ type: "log.truncated", length: 1 }).state).toBe("streaming");
    expect(tracker.apply({ type: "message.amended", ts: 1, patch: { text: '{"cost":0}' } }).state).toBe(
      "running",
    );
    expect(tracker.apply({ type: "log.truncated", length: 0 }).state).toBe("no_task");
  });

  it("reads as much of a log of 100,000 messages as of one of 100 for an event at its end (L17)", () => {
    const at = vi.spyOn(PersistentList.prototype, "at");
    const parse = vi.spyOn(JSON, "parse");
    const reads = [100, 100_000].map((length) => {
      const tracker = new StateTracker(longLog(length));
      const events: LogEvent[] = [
        {
          type: "message.appended",
          message: { ts: length, type: "say", say: "text", text: "", partial: true },
        },
        { type: "message.grown", ts: length, text: "more" },
        { type: "message.amended", ts: length, patch: { partial: false } },
        { type: "message.appended", message: request(length + 1, "{}") },
        { type: "message.amended", ts: length + 1, patch: { text: '{"cost":1}' } },
        { type: "log.truncated", length: length + 1 },
      ];
      at.mockClear();
      parse.mockClear();
      for (const event of events) tracker.apply(event);
      return { at: at.mock.calls.length, parsed: parse.mock.calls.length };
    });
    expect(reads[1]).toEqual(reads[0]);
    expect(reads[0]?.parsed).toBeLessThanOrEqual(4);
  });

  it("finds an earlier message of 100,000 in at most 24 reads (L17)", () => {
    const tracker = new StateTracker(longLog(100_000));
    const at = vi.spyOn(PersistentList.prototype, "at");
    tracker.apply({ type: "message.amended", ts: 31_415, patch: { isAnswered: true } });
    expect(at.mock.calls.length).toBeLessThanOrEqual(24);
    expect(tracker.log.at(31_415)?.isAnswered).toBe(true);
  });

  it("parses the text of the newest request once (L17)", () => {
    let reads = 0;
    const request = {
      ts: 1,
      type: "say",
      say: "api_req_started",
      get text() {
        reads += 1;
        return "{}";
      },
    } as const;
    const tracker = new StateTracker([request]);
    tracker.apply({ type: "message.appended", message: { ts: 2, type: "say", say: "text", text: "a" } });
    const before = reads;
    for (let grown = 0; grown < 5; grown += 1) tracker.apply({ type: "message.grown", ts: 2, text: "b" });
    expect(tracker.info.state).toBe("streaming");
    expect(reads).toBe(before);
  });
});
