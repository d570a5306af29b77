import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PersistentList } from "../../../machines/list/list.ts";
import {
  applyLogEvent,
  emptyLog,
  type Log,
  type LogEvent,
  positionOf,
} from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { test } from "../../support/prop.ts";
import { message } from "./arbitraries.ts";

/** The effect of each event on a plain array: the reference. */
function onArray(messages: readonly ClineMessage[], event: LogEvent): readonly ClineMessage[] {
  switch (event.type) {
    case "message.appended":
      return [...messages, event.message];
    case "message.grown":
      return messages.map((message) =>
        message.ts === event.ts ? { ...message, text: (message.text ?? "") + event.text } : message,
      );
    case "message.amended":
      return messages.map((message) => (message.ts === event.ts ? { ...message, ...event.patch } : message));
    case "log.truncated":
      return messages.slice(0, event.length);
    case "log.replaced":
      return event.messages;
  }
}

/** Logs with strictly increasing `ts`, like ours. */
const ownLog = fc
  .array(message(fc.nat(5)), { maxLength: 50 })
  .map((messages) => messages.map((message, index) => ({ ...message, ts: 100 + index * 3 })));
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
    "gives every replica the same log, and never changes earlier versions (L2)",
    (messages, events) => {
      const log = PersistentList.from(messages);
      const folded = events.reduce(applyLogEvent, log);
      expect(folded.toArray()).toEqual(events.reduce(onArray, messages));
      expect(log.toArray()).toEqual(messages);
    },
  );

  it("freezes messages with all that is in them: a subscriber can't change the log (L1, L2)", () => {
    const message = { ts: 1, type: "say", say: "text", text: "a", images: ["i"] } as const;
    const appended: LogEvent = { type: "message.appended", message: structuredClone(message) };
    const patch = { checkpoint: { by: { name: "x" } } };
    const events: readonly LogEvent[] = [
      appended,
      { type: "message.grown", ts: 1, text: "b" },
      { type: "message.amended", ts: 1, patch: structuredClone(patch) },
      { type: "log.replaced", messages: [structuredClone({ ...message, ...patch })] },
    ];
    let log: Log = emptyLog;
    for (const event of events) {
      log = applyLogEvent(log, event);
      const last = log.at(-1) as { text: string };
      expect(() => {
        last.text = "changed";
      }).toThrow(TypeError);
    }
    expect(Object.isFrozen(log.at(0)?.images)).toBe(true);
    expect(Object.isFrozen(log.at(0)?.checkpoint?.by)).toBe(true);
  });

  it("grows a message without text, and ignores a missing message (L5)", () => {
    const log = PersistentList.of<ClineMessage>({ ts: 1, type: "say", say: "text" });
    expect(applyLogEvent(log, { type: "message.grown", ts: 1, text: "a" }).at(0)?.text).toBe("a");
    expect(applyLogEvent(log, { type: "message.grown", ts: 2, text: "a" })).toBe(log);
    expect(applyLogEvent(log, { type: "message.amended", ts: 2, patch: { partial: false } })).toBe(log);
  });
});

describe("positionOf", () => {
  test.prop([fc.array(fc.nat(20), { maxLength: 40 }), fc.nat(20)])(
    "finds an existing message of any log, sorted or not",
    (stamps, ts) => {
      const log = PersistentList.from(stamps.map((ts): ClineMessage => ({ ts, type: "say", say: "text" })));
      const found = positionOf(log, ts);
      if (stamps.includes(ts)) expect(stamps[found]).toBe(ts);
      else expect(found).toBe(-1);
    },
  );

  test.prop([fc.array(fc.nat(20), { maxLength: 40 }), fc.nat(20)])(
    "finds the last of several messages with one ts in a sorted log",
    (stamps, ts) => {
      const sorted = stamps.toSorted((a, b) => a - b);
      const log = PersistentList.from(sorted.map((ts): ClineMessage => ({ ts, type: "say", say: "text" })));
      expect(positionOf(log, ts)).toBe(sorted.lastIndexOf(ts));
    },
  );
});
