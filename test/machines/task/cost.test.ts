import { afterEach, describe, expect, it, vi } from "vitest";
import { createActor } from "xstate";
import { PersistentList } from "../../../machines/list/index.ts";
import { detectAgentState, type LogEvent, StateTracker } from "../../../machines/message/index.ts";
import { type TaskEvent, taskMachine } from "../../../machines/task/index.ts";
import { silentActors } from "../../support/silent-actors.ts";

const USAGE = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0 };
const LIMITS = { mistakes: 0, requests: 1_000_000 };
const SHORT = 20;
const LONG = 600;
/** A row is found by halving: that is all that may grow. */
const HALVINGS = Math.ceil(Math.log2(LONG * 4)) - Math.floor(Math.log2(SHORT * 4)) + 1;

/** A task that goes round and round: request, answer without a call, request. */
function circles() {
  const actor = createActor(taskMachine.provide({ actors: silentActors }), {
    input: { taskId: "t", limits: LIMITS },
  });
  let at = 0;
  const send = (event: Record<string, unknown>): void => {
    at += 10;
    const requestId = actor.getSnapshot().context.request;
    actor.send({ requestId, ...event, at } as unknown as TaskEvent);
  };
  actor.start();
  send({ type: "task.start", text: "go", images: [] });
  send({ type: "task.opened" });
  return { actor, send };
}

const CIRCLE = {
  ready: { type: "context.ready", environment: "here", ends: [] },
  first: { type: "llm.text.delta", index: 0, text: "a" },
  delta: { type: "llm.text.delta", index: 0, text: "b" },
  finished: {
    type: "llm.finished",
    stopReason: "end_turn",
    content: [{ type: "text", text: "ab" }],
    usage: USAGE,
  },
};

function countReads() {
  const list = PersistentList.prototype;
  const single = [vi.spyOn(list, "at"), vi.spyOn(list, "append"), vi.spyOn(list, "set")];
  const whole = [vi.spyOn(list, "toArray"), vi.spyOn(list, Symbol.iterator), vi.spyOn(list, "truncate")];
  const calls = (spies: typeof single | typeof whole) =>
    spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  return { single: () => calls(single), whole: () => calls(whole) };
}

/** How often the log and the conversation are touched by one delta, one answer's end and one query. */
function touchesAfter(rounds: number) {
  const { actor, send } = circles();
  for (let round = 0; round < rounds; round += 1) {
    send(CIRCLE.ready);
    send(CIRCLE.first);
    send(CIRCLE.finished);
  }
  send(CIRCLE.ready);
  send(CIRCLE.first);
  const counts = countReads();
  send(CIRCLE.delta);
  const delta = counts.single();
  send(CIRCLE.finished);
  const answer = counts.single() - delta;
  detectAgentState(actor.getSnapshot().context.log);
  const query = counts.single() - delta - answer;
  const whole = counts.whole();
  vi.restoreAllMocks();
  return { delta, answer, query, whole, rows: actor.getSnapshot().context.log.length };
}

describe("the cost of a task's life", () => {
  afterEach(() => vi.restoreAllMocks());

  it("L17: a delta, an answer's end and a query touch as much of a long log as of a short one", () => {
    const [short, long] = [touchesAfter(SHORT), touchesAfter(LONG)];
    expect(long.rows).toBeGreaterThan(short.rows * 20);
    expect(long.delta).toBe(short.delta);
    expect(long.query).toBe(short.query);
    expect(long.answer - short.answer).toBeLessThanOrEqual(2 * HALVINGS);
    expect([short.whole, long.whole]).toEqual([0, 0]);
  });

  it("L17: a client that follows touches as much of a long log as of a short one", () => {
    const touches = (rows: number): number => {
      const tracker = new StateTracker();
      const event = (ts: number): LogEvent => ({
        type: "message.appended",
        message: { ts, type: "say", say: "text" },
      });
      for (let ts = 1; ts <= rows; ts += 1) tracker.apply(event(ts));
      const counts = countReads();
      tracker.apply(event(rows + 1));
      tracker.apply({ type: "message.grown", ts: rows + 1, text: "more" });
      tracker.apply({ type: "message.amended", ts: rows + 1, patch: { partial: false } });
      expect(counts.whole()).toBe(0);
      const single = counts.single();
      vi.restoreAllMocks();
      return single;
    };
    expect(touches(20_000)).toBe(touches(20));
  });
});
