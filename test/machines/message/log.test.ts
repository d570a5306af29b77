import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PersistentList } from "../../../machines/list/index.ts";
import {
  applyLogEvent,
  type ClineMessage,
  type LogEvent,
  positionOf,
} from "../../../machines/message/index.ts";
import { test } from "../../support/prop.ts";
import { message } from "./arbitraries.ts";

/** What each event does to a plain array: the meaning, told in the plainest way. */
function onArray(rows: readonly ClineMessage[], event: LogEvent): readonly ClineMessage[] {
  switch (event.type) {
    case "message.appended":
      return [...rows, event.message];
    case "message.grown":
      return rows.map((row) => (row.ts === event.ts ? { ...row, text: (row.text ?? "") + event.text } : row));
    case "message.amended":
      return rows.map((row) => (row.ts === event.ts ? { ...row, ...event.patch } : row));
    case "log.truncated":
      return rows.slice(0, event.length);
    case "log.replaced":
      return event.messages;
  }
}

/** Logs as ours: `ts` strictly increasing. */
const ownLog = fc
  .array(message(fc.nat(5)), { maxLength: 50 })
  .map((rows) => rows.map((row, index) => ({ ...row, ts: 100 + index * 3 })));
const change: fc.Arbitrary<LogEvent> = fc.oneof(
  fc.record({ type: fc.constant("message.grown" as const), ts: fc.nat(260), text: fc.string() }),
  fc.record({
    type: fc.constant("message.amended" as const),
    ts: fc.nat(260),
    patch: fc.record({ text: fc.string(), partial: fc.boolean() }),
  }),
  fc.record({ type: fc.constant("log.truncated" as const), length: fc.nat(60) }),
);

describe("applyLogEvent", () => {
  test.prop([ownLog, fc.array(change, { maxLength: 20 })])(
    "gives every replica the same log, and leaves earlier versions as they were (L2)",
    (rows, events) => {
      const log = PersistentList.from(rows);
      const folded = events.reduce(applyLogEvent, log);
      expect(folded.toArray()).toEqual(events.reduce(onArray, rows));
      expect(log.toArray()).toEqual(rows);
    },
  );

  it("grows a row that has no text yet, and changes nothing where the row isn't there (L5)", () => {
    const log = PersistentList.of<ClineMessage>({ ts: 1, type: "say", say: "text" });
    expect(applyLogEvent(log, { type: "message.grown", ts: 1, text: "a" }).at(0)?.text).toBe("a");
    expect(applyLogEvent(log, { type: "message.grown", ts: 2, text: "a" })).toBe(log);
    expect(applyLogEvent(log, { type: "message.amended", ts: 2, patch: { partial: false } })).toBe(log);
  });
});

describe("positionOf", () => {
  test.prop([fc.array(fc.nat(20), { maxLength: 40 }), fc.nat(20)])(
    "finds a row of any log that has it, sorted or not, and only then",
    (stamps, ts) => {
      const log = PersistentList.from(stamps.map((ts): ClineMessage => ({ ts, type: "say", say: "text" })));
      const found = positionOf(log, ts);
      if (stamps.includes(ts)) expect(stamps[found]).toBe(ts);
      else expect(found).toBe(-1);
    },
  );

  test.prop([fc.array(fc.nat(20), { maxLength: 40 }), fc.nat(20)])(
    "takes the last of the rows that share a ts in a sorted log",
    (stamps, ts) => {
      const sorted = stamps.toSorted((a, b) => a - b);
      const log = PersistentList.from(sorted.map((ts): ClineMessage => ({ ts, type: "say", say: "text" })));
      expect(positionOf(log, ts)).toBe(sorted.lastIndexOf(ts));
    },
  );
});
