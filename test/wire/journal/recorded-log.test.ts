import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { applyLogEvent, emptyLog, type Log, type LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { RecordedLog } from "../../../wire/journal/recorded-log.ts";

/** A change that a task may make to a message (L3, L5). */
type Change = "append" | "stream" | "command" | "grow" | "preview" | "end" | "cost" | "status" | "truncate";
const changes: fc.Arbitrary<Change[][]> = fc.array(
  fc.array(
    fc.constantFrom<Change>(
      "append",
      "stream",
      "command",
      "grow",
      "preview",
      "end",
      "cost",
      "status",
      "truncate",
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  { maxLength: 25 },
);

const isOpen = (message: ClineMessage | undefined): message is ClineMessage =>
  message?.partial === true || (message?.ask === "command_output" && message.closing === undefined);

/** Close the open message and append another. */
function appended(last: ClineMessage | undefined, message: Omit<ClineMessage, "ts">): LogEvent[] {
  return [...closing(last), { type: "message.appended", message: { ts: (last?.ts ?? 0) + 1, ...message } }];
}

function closing(last: ClineMessage | undefined): LogEvent[] {
  if (!isOpen(last)) return [];
  const patch = last.partial === true ? { partial: false } : ({ closing: "ended" } as const);
  return [{ type: "message.amended", ts: last.ts, patch }];
}

function eventsOf(change: Change, log: Log): LogEvent[] {
  const last = log.at(-1);
  const first = log.at(0);
  switch (change) {
    case "append":
      return appended(last, { type: "say", say: "api_req_started", text: "{}" });
    case "stream":
      return appended(last, { type: "say", say: "text", text: "a", partial: true });
    case "command":
      return appended(last, { type: "ask", ask: "command_output", text: "" });
    case "grow":
      return isOpen(last) ? [{ type: "message.grown", ts: last.ts, text: `+${log.length}` }] : [];
    case "preview":
      return last?.partial === true
        ? [{ type: "message.amended", ts: last.ts, patch: { text: "p", progressStatus: { icon: "i" } } }]
        : [];
    case "end":
      return closing(last);
    case "cost":
      return first?.say === "api_req_started"
        ? [{ type: "message.amended", ts: first.ts, patch: { text: '{"cost":1}' } }]
        : [];
    case "status":
      return first === undefined || log.length < 2
        ? []
        : [{ type: "message.amended", ts: first.ts, patch: { progressStatus: { text: `${log.length}` } } }];
    case "truncate":
      return isOpen(last) ? [] : [{ type: "log.truncated", length: Math.max(log.length - 1, 0) }];
  }
}

test.prop([changes])(
  "L11: folding the recorded events gives the log, except for a partial last message",
  (macrosteps) => {
    const recorded = new RecordedLog();
    let log = emptyLog;
    let copy = emptyLog;
    for (const macrostep of macrosteps) {
      const events: LogEvent[] = [];
      for (const change of macrostep) {
        const made = eventsOf(change, log);
        events.push(...made);
        log = made.reduce(applyLogEvent, log);
      }
      const records = recorded.record(events, log);
      expect(records.some(({ type }) => type === "message.grown")).toBe(false);
      copy = records.reduce(applyLogEvent, copy);
      const whole = isOpen(log.at(-1)) ? log.length - 1 : log.length;
      expect(copy.length).toBe(log.length);
      expect(copy.truncate(whole).toArray()).toEqual(log.truncate(whole).toArray());
    }
  },
);

test("the events of a macrostep are not copied if all are recorded", () => {
  const events: LogEvent[] = [{ type: "log.truncated", length: 0 }];
  expect(new RecordedLog().record(events, emptyLog)).toBe(events);
});
