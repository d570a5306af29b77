import { describe, expect, it } from "vitest";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import type { ToolCall } from "../../../machines/tool-call/call.ts";
import { staleEvents } from "../../../verify/laws/stale-events.ts";
import { approved, callOf, running, turnOf } from "./calls.ts";
import { gone, logOf, say, started } from "./commit-parts.ts";
import { fresh, type StepParts, stepOf } from "./step.ts";

const CHANGE: readonly TaskEmitted[] = [{ type: "turn.ended" }];
/** The violation of a macrostep that changed something. */
const found = (parts: StepParts): string | undefined =>
  staleEvents.violation(stepOf({ emitted: CHANGE, ...parts }));
const taken = (event: TaskEvent): RegExp =>
  new RegExp(`^${event.type} of no active actor was accepted in running.calling$`);

const at = 1;
const usage = fresh.usage;
const text: TaskEvent = { type: "llm.text.delta", at, requestId: 5, index: 0, text: "words" };
const ready: TaskEvent = { type: "context.ready", at, requestId: 5, environment: "here", ends: [] };

const request = (ts: number, isOpen = true) =>
  say(ts, "api_req_started", { text: isOpen ? "{}" : '{"cost":0}' });
const logged = (...messages: readonly ClineMessage[]) => ({ log: logOf(...messages) });
const OPEN = logged(request(3, false), request(5), say(6, "text"));

describe("an event of a request comes from the active actor of the open request (L10)", () => {
  it.each<[event: TaskEvent, from: string, other: string]>([
    [ready, "context", "llm"],
    [{ type: "context.failed", at, requestId: 5, message: "m" }, "context", "llm"],
    [text, "llm", "context"],
    [{ type: "llm.usage", at, requestId: 5, usage }, "llm", "context"],
    [
      { type: "llm.finished", at, requestId: 5, stopReason: "end_turn", content: [], usage },
      "llm",
      "context",
    ],
  ])("$type from $1", (event, from, other) => {
    expect(found({ event, before: OPEN, earlier: [started(from)] })).toBeUndefined();
    expect(found({ event, before: OPEN, earlier: [started(other)] })).toMatch(taken(event));
    expect(found({ event, before: OPEN, earlier: [started(from), gone(from)] })).toMatch(taken(event));
    expect(found({ event, before: OPEN })).toMatch(taken(event));
  });

  it.each<[what: string, before: StepParts["before"]]>([
    ["is closed", logged(request(5, false))],
    ["belongs to another", logged(request(4))],
    ["is not the newest, which is open", logged(request(5), request(7))],
    ["is not the newest, which is closed", logged(request(5), request(7, false))],
    ["is another message", logged(request(4), say(5, "text"))],
    ["does not exist", {}],
  ])("but not for a request that %s", (_, before = {}) => {
    const earlier = [started("llm"), started("context")];
    expect(found({ event: text, before, earlier })).toMatch(taken(text));
    expect(found({ event: ready, before, earlier })).toMatch(taken(ready));
  });
});

describe("an event of a call comes from the actor of that call (L10)", () => {
  const callId = "c1";
  it.each<[event: TaskEvent, kind: string, other: string]>([
    [{ type: "call.reviewed", at, callId, review: { valid: false, error: "e" } }, "review", "tool"],
    [{ type: "tool.output", at, callId, text: "words" }, "tool", "review"],
    [{ type: "tool.progress", at, callId, status: { text: "half" } }, "tool", "review"],
    [{ type: "tool.finished", at, callId, content: [] }, "tool", "subtask"],
    [{ type: "tool.failed", at, callId, error: "e" }, "tool", "review"],
    [{ type: "subtask.ended", at, callId, end: { kind: "cancelled" } }, "subtask", "tool"],
  ])("$type from $1", (event, kind, other) => {
    expect(found({ event, earlier: [started(`${kind}:c1`)] })).toBeUndefined();
    for (const earlier of [
      [],
      [started(`${kind}:c2`)],
      [started(`${other}:c1`)],
      [started(`${kind}:c1`), gone(`${kind}:c1`)],
    ])
      expect(found({ event, earlier })).toMatch(taken(event));
  });

  it("but not from one that this macrostep starts", () => {
    const event: TaskEvent = { type: "tool.output", at, callId, text: "words" };
    expect(found({ event, emitted: [started("tool:c1")] })).toMatch(taken(event));
  });
});

describe("a timer names the delay that it ends (L10)", () => {
  const fired = (timerId: string): TaskEvent => ({ type: "timer.fired", at, timerId });
  const earlier = [started("timer")];

  it("by the open request", () => {
    const before = { request: 5, retryAt: 50 };
    expect(found({ event: fired("review:5"), before, earlier })).toBeUndefined();
    for (const id of ["review:4", "review:15", "review:50", "5"])
      expect(found({ event: fired(id), before, earlier })).toMatch(taken(fired(id)));
    expect(found({ event: fired("review:5"), before })).toMatch(taken(fired("review:5")));
  });

  it("or, if none is open, by the time of the next attempt", () => {
    const before = { retryAt: 50 };
    expect(found({ event: fired("retry:50"), before, earlier })).toBeUndefined();
    expect(found({ event: fired("retry:40"), before, earlier })).toMatch(taken(fired("retry:40")));
    expect(found({ event: fired("retry:50"), before })).toMatch(taken(fired("retry:50")));
  });
});

describe("the timer of the rate limit names the start of the last request (L10)", () => {
  const fired = (timerId: string): TaskEvent => ({ type: "timer.fired", at, timerId });
  const earlier = [started("timer")];
  const before = { requestedAt: 50, retryAt: 40 };
  const from = "running.pacing";
  const accepted = "timer.fired of no active actor was accepted in running.pacing";

  it("and no other one", () => {
    expect(found({ event: fired("rate:50"), before, earlier, from })).toBeUndefined();
    for (const id of ["rate:40", "rate:150", "50"])
      expect(found({ event: fired(id), before, earlier, from })).toBe(accepted);
    expect(found({ event: fired("rate:50"), before, from })).toBe(accepted);
  });

  it("where a request waits for it", () => {
    expect(found({ event: fired("rate:50"), before, earlier })).toMatch(taken(fired("rate:50")));
  });
});

describe("the timer of a delivery names the completion's ask (L10)", () => {
  const fired = (timerId: string): TaskEvent => ({ type: "timer.fired", at, timerId });
  const earlier = [started("timer")];
  const before = { ask: { id: 5, ask: "completion_result" } } as const;

  it("and no other one", () => {
    expect(found({ event: fired("queue:5"), before, earlier })).toBeUndefined();
    for (const id of ["queue:4", "queue:15", "queue:undefined", "queue:0"])
      expect(found({ event: fired(id), before, earlier })).toMatch(taken(fired(id)));
    expect(found({ event: fired("queue:5"), before })).toMatch(taken(fired("queue:5")));
  });

  it("where no attempt is delayed", () => {
    expect(found({ event: fired("queue:5"), before: { ...before, retryAt: 50 }, earlier })).toMatch(
      taken(fired("queue:5")),
    );
  });
});

describe("a snapshot ends for the call that waits for it (L10)", () => {
  const earlier = [started("checkpoint")];
  it.each<TaskEvent>([
    { type: "checkpoint.saved", at, callId: "c1", hash: "abc" },
    { type: "checkpoint.skipped", at, callId: "c1" },
  ])("$type", (event) => {
    const of = (...calls: readonly ToolCall[]) => ({ event, before: { turn: turnOf(...calls) } });
    expect(found({ ...of(approved("c1")), earlier })).toBeUndefined();
    expect(found({ ...of(running("c2"), approved("c1")), earlier })).toBeUndefined();
    expect(found({ ...of(approved("c1")), earlier: [...earlier, gone("checkpoint")] })).toMatch(taken(event));
    expect(found(of(approved("c1")))).toMatch(taken(event));
    expect(found({ ...of(approved("c2")), earlier })).toMatch(taken(event));
    expect(found({ ...of(running("c1")), earlier })).toMatch(taken(event));
    expect(found({ ...of(callOf("c1", "decided"), approved("c2")), earlier })).toMatch(taken(event));
    expect(found({ ...of(), earlier })).toMatch(taken(event));
  });
});

it("a task is opened only by an active opening (L10)", () => {
  const event: TaskEvent = { type: "task.opened", at };
  expect(found({ event, earlier: [started("opening")] })).toBeUndefined();
  expect(found({ event })).toMatch(taken(event));
  expect(found({ event, earlier: [started("opening"), gone("opening")] })).toMatch(taken(event));
});

describe("active actors are not checked (L10)", () => {
  it.each<TaskEvent>([
    { type: "task.start", at, text: "go", images: [] },
    { type: "task.cancel", origin: "user", at },
    { type: "mode.switched", at, mode: "ask" },
    { type: "queue.removed", at, id: "q1" },
    { type: "ask.answered", at, askId: 5, answer: { kind: "yes" } },
    { type: "task.recovered", at },
    { type: "journal.failed", at, message: "m" },
  ])("for $type, which other laws check", (event) => {
    expect(found({ event })).toBeUndefined();
  });

  it("for an event that changes nothing", () => {
    const event: TaskEvent = { type: "tool.output", at, callId: "c1", text: "words" };
    expect(found({ event, emitted: [] })).toBeUndefined();
    expect(found({ event, emitted: [], after: { mode: "ask" } })).toMatch(taken(event));
  });
});
