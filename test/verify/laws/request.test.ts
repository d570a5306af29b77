import { describe, expect, it } from "vitest";
import type { LogEvent } from "../../../machines/message/log.ts";
import type { ClineMessage, Patch } from "../../../machines/message/message.ts";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import { request } from "../../../verify/laws/request.ts";
import { appended, ask, gone, logOf, say, started } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";

const USAGE = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0 };
const open = (ts: number): ClineMessage => say(ts, "api_req_started", { text: "{}" });
const closed = (ts: number): ClineMessage => say(ts, "api_req_started", { text: '{"cost":0}' });
const text = (ts: number): ClineMessage => say(ts, "text");
const amended = (ts: number, patch: Patch): LogEvent => ({ type: "message.amended", ts, patch });
const grown = (ts: number): LogEvent => ({ type: "message.grown", ts, text: "!" });

describe("a request is open exactly while streaming (L4)", () => {
  /** The violation of a task that stays in this state with these messages. */
  const being = (from: string, ...messages: readonly ClineMessage[]) =>
    request.violation(stepOf({ from, before: { log: logOf(...messages) } }));
  const STREAMING = ["streaming.preparing", "streaming.answering", "streaming"];
  const ELSE = ["running.calling", "waiting_for_input", "idle.completed", "resumable", "no_task"];

  it.each(STREAMING)("one, and not none or two, in %s", (state) => {
    expect(being(state, open(1))).toBeUndefined();
    expect(being(state, closed(1), open(2), text(3))).toBeUndefined();
    expect(being(state)).toBe(`0 requests are open in ${state}`);
    expect(being(state, text(1), closed(2))).toBe(`0 requests are open in ${state}`);
    expect(being(state, open(1), open(2))).toBe(`2 requests are open in ${state}`);
  });

  it.each(ELSE)("and none in %s", (state) => {
    expect(being(state)).toBeUndefined();
    expect(being(state, text(1), closed(2))).toBeUndefined();
    expect(being(state, open(1))).toBe(`1 requests are open in ${state}`);
    expect(being(state, open(1), closed(2))).toBe(`1 requests are open in ${state}`);
    expect(being(state, open(1), open(2))).toBe(`2 requests are open in ${state}`);
  });

  it("and it is the newest", () => {
    expect(being("streaming.answering", closed(1), open(2))).toBeUndefined();
    expect(being("streaming.answering", open(1), closed(2))).toBe("the open request is not the newest");
  });
});

describe("a closed request (L4)", () => {
  /** The violation of these changes of a log, when no request is open in the end. */
  const changed = (messages: readonly ClineMessage[], ...emitted: readonly LogEvent[]) =>
    request.violation(
      stepOf({ before: { log: logOf(...messages) }, after: { log: logOf(text(1)) }, emitted }),
    );
  const AGAIN = "a closed request was changed";
  const CLOSE = amended(2, { text: '{"cost":0}' });

  it.each<[string, LogEvent]>([
    ["amended", amended(2, { text: "{}" })],
    ["amended in another field than its text", amended(2, { images: [] })],
    ["grown", grown(2)],
  ])("is never %s", (_, event) => {
    expect(changed([text(1), open(2)], event)).toBeUndefined();
    expect(changed([text(1), closed(2)], event)).toBe(AGAIN);
    expect(changed([text(1), closed(2), text(3)], event)).toBe(AGAIN);
    expect(changed([text(1), say(2, "text", { text: '{"cost":0}' })], event)).toBeUndefined();
    expect(changed([text(1), ask(2, "tool", { text: '{"cost":0}' })], event)).toBeUndefined();
  });

  it("is never closed again, also in the macrostep that closed it", () => {
    expect(changed([text(1), open(2)], CLOSE)).toBeUndefined();
    expect(changed([text(1), open(2)], CLOSE, CLOSE)).toBe(AGAIN);
    expect(changed([closed(1), open(2)], CLOSE, amended(1, { text: '{"cost":1}' }))).toBe(AGAIN);
  });

  it("may be the last message when another comes, and exist when another changes", () => {
    expect(changed([closed(2)], appended(text(3)))).toBeUndefined();
    expect(changed([closed(2), text(3)], grown(3))).toBeUndefined();
    expect(changed([closed(2)], amended(1, { text: "words" }), grown(3))).toBeUndefined();
  });
});

describe("an attempt (L4)", () => {
  /** The violation of a task that streams in the end, with these emitted events. */
  const attempt = (emitted: readonly TaskEmitted[], earlier: readonly TaskEmitted[] = []) =>
    request.violation(
      stepOf({ to: "streaming.preparing", after: { log: logOf(open(9)) }, emitted, earlier }),
    );
  const begun = started("context");
  const message = appended(open(9));

  it("starts with its own message", () => {
    expect(attempt([message, begun])).toBeUndefined();
    expect(attempt([begun, message])).toBeUndefined();
    expect(attempt([begun])).toBe("0 request messages were appended for 1 attempts");
    expect(attempt([begun, appended(text(8))])).toBe("0 request messages were appended for 1 attempts");
    expect(attempt([message, appended(open(10)), begun])).toBe(
      "2 request messages were appended for 1 attempts",
    );
  });

  it("has a message only at its start", () => {
    expect(attempt([])).toBeUndefined();
    expect(attempt([appended(text(8))])).toBeUndefined();
    expect(attempt([started("timer:1")])).toBeUndefined();
    expect(attempt([message])).toBe("1 request messages were appended for 0 attempts");
    expect(attempt([message, started("timer:1")])).toBe("1 request messages were appended for 0 attempts");
  });

  it("is sent once, after its context is prepared", () => {
    const sent = started("llm");
    expect(attempt([sent], [begun])).toBeUndefined();
    expect(attempt([gone("context"), sent], [begun])).toBeUndefined();
    expect(attempt([sent])).toBe("a request was sent twice with one message");
    expect(attempt([sent], [begun, gone("context")])).toBe("a request was sent twice with one message");
    expect(attempt([sent], [started("tool:context")])).toBe("a request was sent twice with one message");
    expect(attempt([message, begun, sent])).toBe("a request was sent twice with one message");
  });
});

const FAILURE = { code: "stream_cut", message: "cut", retryable: true };
const FINISHED: TaskEvent = {
  ...{ type: "llm.finished", at: 9, requestId: 2, stopReason: "end_turn" },
  ...{ content: [], usage: USAGE },
};
const FAILED: readonly TaskEvent[] = [
  { type: "llm.failed", at: 9, requestId: 2, failure: FAILURE, usage: USAGE, jitter: 0 },
  { type: "context.failed", at: 9, requestId: 2, message: "none" },
  { type: "journal.failed", at: 9, message: "full" },
  { type: "task.recovered", at: 9 },
];
const CANCEL: TaskEvent = { type: "task.cancel", origin: "user", at: 9 };
const WITHOUT: readonly TaskEvent[] = [FINISHED, { type: "timer.fired", at: 9, timerId: "t" }];

/** The violation when `event` ended streaming, with these emitted events about the open request 2. */
const ended = (event: TaskEvent, emitted: readonly LogEvent[], more: Partial<StepParts> = {}) =>
  request.violation(
    stepOf({
      ...{ event, from: "streaming.answering", to: "running.calling" },
      ...{ before: { log: logOf(text(1), open(2)) }, after: { log: logOf(text(1), closed(2)) }, emitted },
      ...more,
    }),
  );
const closing = (end: Readonly<Record<string, unknown>>) => amended(2, { text: JSON.stringify(end) });
const because = (cancelReason?: string) => closing({ cost: 0.5, cancelReason });

describe("when streaming ends, the request is closed (L4)", () => {
  it("in that macrostep", () => {
    expect(ended(FINISHED, [because()])).toBeUndefined();
    expect(ended(FINISHED, [grown(1), because()])).toBeUndefined();
    const none = "streaming ended and no request was closed";
    expect(ended(FINISHED, [])).toBe(none);
    expect(ended(FINISHED, [amended(1, { text: '{"cost":0}' })])).toBe(none);
    expect(ended(FINISHED, [amended(7, { text: '{"cost":0}' })])).toBe(none);
    expect(ended(FINISHED, [grown(2)])).toBe(none);
    expect(ended(FINISHED, [appended(text(3))])).toBe(none);
  });

  it("even if a missing message is amended before it", () => {
    expect(ended(FINISHED, [amended(7, { text: "words" }), because()])).toBeUndefined();
  });

  it("but not if streaming continues, starts or never happened", () => {
    const log = logOf(text(1), open(2));
    const open2 = { before: { log }, after: { log } };
    const nothing = { before: {}, after: {} };
    expect(ended(FINISHED, [], { to: "streaming.finishing", ...open2 })).toBeUndefined();
    expect(
      ended(FINISHED, [], { from: "running.calling", to: "streaming.preparing", ...open2 }),
    ).toBeUndefined();
    expect(ended(FINISHED, [], { from: "running.calling", ...nothing })).toBeUndefined();
    expect(ended(FINISHED, [], { from: "streaming", to: "no_task", ...nothing })).toMatch(
      "no request was closed",
    );
  });

  it("with its cost", () => {
    const without = "a request was closed without its cost";
    expect(ended(FINISHED, [closing({ cost: 0 })])).toBeUndefined();
    expect(ended(FINISHED, [closing({ tokensIn: 1 })])).toBe(without);
    expect(ended(FINISHED, [closing({ cost: "1" })])).toBe(without);
    expect(ended(FINISHED, [amended(2, { text: "done" })])).toBe(without);
    expect(ended(FINISHED, [amended(2, { images: [] })])).toBe(without);
    expect(ended(CANCEL, [closing({ cancelReason: "user_cancelled" })])).toBe(without);
  });

  it("and with the reason `user_cancelled` after a cancel", () => {
    expect(ended(CANCEL, [because("user_cancelled")])).toBeUndefined();
    expect(ended(CANCEL, [because("streaming_failed")])).toBe(
      "after task.cancel the request was closed with reason streaming_failed, expected user_cancelled",
    );
    expect(ended(CANCEL, [because()])).toMatch(/reason undefined, expected user_cancelled$/);
  });

  it.each(FAILED)("and with the reason `streaming_failed` after $type", (event) => {
    expect(ended(event, [because("streaming_failed")])).toBeUndefined();
    expect(ended(event, [because("user_cancelled")])).toMatch(
      /with reason user_cancelled, expected streaming_failed$/,
    );
    expect(ended(event, [because()])).toMatch(/reason undefined, expected streaming_failed$/);
  });

  it.each(WITHOUT)("and without a reason after $type", (event) => {
    expect(ended(event, [because()])).toBeUndefined();
    expect(ended(event, [because("streaming_failed")])).toMatch(
      /with reason streaming_failed, expected undefined$/,
    );
    expect(ended(event, [because("user_cancelled")])).toMatch(
      /with reason user_cancelled, expected undefined$/,
    );
  });
});
