import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage, Patch } from "../../../machines/message/message.ts";
import type { TaskEvent } from "../../../machines/task/task.events.ts";
import type { ToolCall } from "../../../machines/tool-call/call.ts";
import { identity } from "../../../verify/laws/identity.ts";
import { callOf, turnOf } from "./calls.ts";
import { appended, ask, logOf, say, started } from "./commit-parts.ts";
import { stepOf } from "./step.ts";

/** The violation of these changes of a log. */
const found = (messages: readonly ClineMessage[], ...events: readonly LogEvent[]): string | undefined =>
  identity.violation(stepOf({ before: { log: logOf(...messages) }, emitted: events }));

const grown = (ts: number): LogEvent => ({ type: "message.grown", ts, text: "!" });
const amended = (ts: number, patch: Patch): LogEvent => ({ type: "message.amended", ts, patch });
const came = (ts: number): LogEvent => appended(say(ts, "text"));

const later = say(9, "text");

describe("the ts of a message (L5)", () => {
  it("may be any for the first message", () => {
    expect(found([], came(-1))).toBeUndefined();
  });

  it("is greater than the previous message's", () => {
    expect(found([say(5, "text")], came(6))).toBeUndefined();
    expect(found([say(5, "text")], came(5))).toBe("message 5 was appended after message 5");
    expect(found([say(5, "text")], came(4))).toBe("message 4 was appended after message 5");
    expect(found([say(1, "text"), say(5, "text")], came(3))).toBe("message 3 was appended after message 5");
  });

  it("is greater than the previous message's in the same macrostep", () => {
    expect(found([], came(5), came(6), came(7))).toBeUndefined();
    expect(found([], came(5), came(6), came(6))).toBe("message 6 was appended after message 6");
  });

  it("is not checked when no message is appended", () => {
    expect(found([say(5, "text"), say(4, "text")])).toBeUndefined();
    const step = stepOf({ before: { log: logOf(say(5, "text")) }, emitted: [started("tool:c")] });
    expect(identity.violation(step)).toBeUndefined();
  });
});

describe("a message grows (L5)", () => {
  it.each<[string, ClineMessage]>([
    ["a say that is partial", say(5, "text", { partial: true })],
    ["an ask that is partial", ask(5, "tool", { partial: true })],
    ["the output of a running command", ask(5, "command_output")],
    ["the output of a command that streams", ask(5, "command_output", { partial: true, closing: "ended" })],
  ])("if it is the last and %s", (_, message) => {
    expect(found([message], grown(5))).toBeUndefined();
    expect(found([say(4, "text"), message], grown(5), grown(5))).toBeUndefined();
    expect(found([message, later], grown(5))).toBe(`message 5 (${message.ask ?? message.say}) may not grow`);
    expect(found([message], grown(5), came(9), grown(5))).toMatch(/ may not grow$/);
  });

  it.each<[string, ClineMessage]>([
    ["a complete say", say(5, "text")],
    ["a completed say", say(5, "text", { partial: false })],
    ["a complete ask", ask(5, "tool")],
    ["an open request", say(5, "api_req_started")],
    ["the earlier output of a command", say(5, "command_output")],
    ["the output of a command that has ended", ask(5, "command_output", { closing: "ended" })],
    ["the output of a background command", ask(5, "command_output", { closing: "answered" })],
  ])("but not if it is %s", (_, message) => {
    expect(found([message], grown(5))).toBe(`message 5 (${message.ask ?? message.say}) may not grow`);
  });

  it("if it exists", () => {
    expect(found([say(5, "text", { partial: true })], grown(4))).toBe(
      "message 4, which does not exist, may not grow",
    );
    expect(found([], grown(4))).toBe("message 4, which does not exist, may not grow");
  });
});

const OPEN = say(5, "api_req_started", { text: "{}" });
const CLOSED = say(5, "api_req_started", { text: '{"cost":0}' });
const CLOSING: Patch = { closing: "answered", isAnswered: true };

/** Assert whether a patch is allowed to the last message and to an earlier one. */
function expectAmended(message: ClineMessage, patch: Patch, may: { last: boolean; earlier: boolean }): void {
  const wrong = `message 5 (${message.ask ?? message.say}) may not be amended by ${JSON.stringify(patch)}`;
  expect(found([message], amended(5, patch))).toBe(may.last ? undefined : wrong);
  expect(found([message, later], amended(5, patch))).toBe(may.earlier ? undefined : wrong);
}

describe("a message is amended (L5)", () => {
  it.each<[string, ClineMessage]>([
    ["a say", say(5, "text", { partial: true })],
    ["an ask", ask(5, "tool", { partial: true, closing: "withdrawn" })],
    ["a request", { ...CLOSED, partial: true }],
  ])("in anything if it is %s that is partial and the last", (_, message) => {
    expectAmended(message, { text: "words", partial: false }, { last: true, earlier: false });
    expectAmended(message, { images: [] }, { last: true, earlier: false });
    expectAmended(message, CLOSING, { last: true, earlier: false });
  });

  it("in its text if it is the open request", () => {
    expectAmended(OPEN, { text: '{"cost":0}' }, { last: true, earlier: true });
    expectAmended(say(5, "api_req_started"), { text: "{}" }, { last: true, earlier: true });
  });

  it.each<Patch>([
    { partial: false },
    { text: "{}", partial: false },
    { text: "{}", images: [] },
    { closing: "ended" },
    {},
  ])("but not by %j if it is the open request", (patch) => {
    expectAmended(OPEN, patch, { last: false, earlier: false });
  });

  it("in nothing if it is a closed request", () => {
    expectAmended(CLOSED, { text: '{"cost":0}' }, { last: false, earlier: false });
  });

  it.each<Patch>([CLOSING, { closing: "withdrawn" }, { closing: "expired" }, { closing: "ended" }])(
    "by %j if it is an open ask",
    (patch) => {
      expectAmended(ask(5, "tool"), patch, { last: true, earlier: true });
      expectAmended(ask(5, "command_output"), patch, { last: true, earlier: true });
    },
  );

  it.each<Patch>([CLOSING, { closing: "withdrawn" }, { isAnswered: true }])(
    "but not by %j if it is a closed ask",
    (patch) => {
      expectAmended(ask(5, "tool", { closing: "withdrawn" }), patch, { last: false, earlier: false });
    },
  );

  it.each<Patch>([{ text: "words" }, { partial: false }, { ...CLOSING, text: "words" }, { callId: "c" }])(
    "but not by %j if it is a complete ask",
    (patch) => {
      expectAmended(ask(5, "tool"), patch, { last: false, earlier: false });
      expectAmended(ask(5, "tool", { partial: false }), patch, { last: false, earlier: false });
    },
  );

  it.each<Patch>([{ text: "words" }, { partial: false }, CLOSING, {}])(
    "but not by %j if it is a complete say",
    (patch) => {
      expectAmended(say(5, "text"), patch, { last: false, earlier: false });
      expectAmended(say(5, "tool", { partial: false }), patch, { last: false, earlier: false });
    },
  );

  it.each<Partial<ClineMessage>>([
    { ts: 6 },
    { type: "ask" },
    { ask: "tool" },
    { say: "error" },
    { text: "words", ts: 5 },
    { say: "error", text: "words" },
  ])("never by %j", (patch) => {
    for (const message of [say(5, "text", { partial: true }), ask(5, "followup", { partial: true })])
      expectAmended(message, patch, { last: false, earlier: false });
  });

  it("if it exists", () => {
    expect(found([OPEN], amended(4, { text: "{}" }))).toBe(
      `message 4, which does not exist, may not be amended by {"text":"{}"}`,
    );
  });

  it("as amended earlier in the same macrostep", () => {
    const close = amended(5, { text: '{"cost":0}' });
    expect(found([OPEN], close, came(9))).toBeUndefined();
    expect(found([OPEN], close, close)).toMatch(/^message 5 \(api_req_started\) may not be amended/);
    const complete = amended(5, { partial: false });
    expect(found([say(5, "text", { partial: true })], complete)).toBeUndefined();
    expect(found([say(5, "text", { partial: true })], complete, complete)).toMatch(
      /^message 5 \(text\) may not/,
    );
  });
});

describe("a log written by the runtime (L5)", () => {
  it.each<LogEvent>([
    { type: "log.truncated", length: 1 },
    { type: "log.replaced", messages: [say(5, "text")] },
  ])("is never $type", (event) => {
    expect(found([say(5, "text")], came(6))).toBeUndefined();
    expect(found([say(5, "text")], event)).toBe(`the task emitted ${event.type}`);
    expect(found([say(5, "text")], came(6), event)).toBe(`the task emitted ${event.type}`);
  });
});

describe("a status changes the message of its running call (L5)", () => {
  const STATUS: Patch = { progressStatus: { text: "half" } };
  const asked = ask(5, "tool", { closing: "answered" });
  const violation = (
    calls: readonly ToolCall[],
    { event = REPORTED, ts = 5, patch = STATUS }: { event?: TaskEvent; ts?: number; patch?: Patch } = {},
  ): string | undefined =>
    identity.violation(
      stepOf({
        event,
        before: { log: logOf(say(4, "text"), asked, later), turn: turnOf(...calls) },
        emitted: [amended(ts, patch)],
      }),
    );
  const REPORTED: TaskEvent = { type: "tool.progress", at: 1, callId: "c1", status: { text: "half" } };

  it("wherever the message is", () => {
    expect(violation([callOf("c1", "running")])).toBeUndefined();
    expect(violation([callOf("c2", "running"), callOf("c1", "running")])).toBeUndefined();
  });

  it("and no other message, no other field, for no other event", () => {
    const calls = [callOf("c1", "running")];
    expect(violation(calls, { ts: 4 })).toMatch(/^message 4 \(text\) may not be amended/);
    expect(violation(calls, { patch: { ...STATUS, text: "x" } })).toMatch(/^message 5/);
    expect(violation(calls, { event: { type: "tool.output", at: 1, callId: "c1", text: "x" } })).toMatch(
      /^message 5/,
    );
  });

  it("and only while it runs", () => {
    for (const phase of ["asking", "approved", "stopped", "settled"] as const)
      expect(violation([callOf("c1", phase)])).toMatch(/^message 5/);
    expect(violation([callOf("c2", "running")])).toMatch(/^message 5/);
    expect(violation([])).toMatch(/^message 5/);
  });
});
