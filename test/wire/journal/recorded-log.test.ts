import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import {
  applyLogEvent,
  type ClineMessage,
  emptyLog,
  type Log,
  type LogEvent,
} from "../../../machines/message/index.ts";
import { RecordedLog } from "../../../wire/journal/recorded-log.ts";

/** What a task may do to its last row: see L3 and L5. */
type Act = "append" | "stream" | "command" | "grow" | "preview" | "end" | "cost" | "truncate";
const acts: fc.Arbitrary<Act[][]> = fc.array(
  fc.array(
    fc.constantFrom<Act>("append", "stream", "command", "grow", "preview", "end", "cost", "truncate"),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  { maxLength: 25 },
);

const isOpen = (row: ClineMessage | undefined): row is ClineMessage =>
  row?.partial === true || (row?.ask === "command_output" && row.closing === undefined);

/** The closing of the row that is open, and what stands behind it. */
function behind(last: ClineMessage | undefined, row: Omit<ClineMessage, "ts">): LogEvent[] {
  return [...closing(last), { type: "message.appended", message: { ts: (last?.ts ?? 0) + 1, ...row } }];
}

function closing(last: ClineMessage | undefined): LogEvent[] {
  if (!isOpen(last)) return [];
  const patch = last.partial === true ? { partial: false } : ({ closing: "ended" } as const);
  return [{ type: "message.amended", ts: last.ts, patch }];
}

function eventsOf(act: Act, log: Log): LogEvent[] {
  const last = log.at(-1);
  const first = log.at(0);
  switch (act) {
    case "append":
      return behind(last, { type: "say", say: "api_req_started", text: "{}" });
    case "stream":
      return behind(last, { type: "say", say: "text", text: "a", partial: true });
    case "command":
      return behind(last, { type: "ask", ask: "command_output", text: "" });
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
    case "truncate":
      return isOpen(last) ? [] : [{ type: "log.truncated", length: Math.max(log.length - 1, 0) }];
  }
}

test.prop([acts])(
  "L11: folding what is recorded gives the log, save the row that still grows",
  (macrosteps) => {
    const recorded = new RecordedLog();
    let log = emptyLog;
    let copy = emptyLog;
    for (const macrostep of macrosteps) {
      const events: LogEvent[] = [];
      for (const act of macrostep) {
        const made = eventsOf(act, log);
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

test("a macrostep whose log events are all recorded costs no copy of them", () => {
  const events: LogEvent[] = [{ type: "log.truncated", length: 0 }];
  expect(new RecordedLog().record(events, emptyLog)).toBe(events);
});
