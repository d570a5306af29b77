import { afterEach, describe, expect, it, vi } from "vitest";
import { createActor } from "xstate";
import { PersistentList } from "../../../machines/list/list.ts";
import { detectAgentState } from "../../../machines/message/detect.ts";
import type { LogEvent } from "../../../machines/message/log.ts";
import { StateTracker } from "../../../machines/message/tracker.ts";
import type { TaskEvent } from "../../../machines/task/task.events.ts";
import { taskMachine } from "../../../machines/task/task.machine.ts";
import { silentActors } from "../../support/silent-actors.ts";

const USAGE = { tokensIn: 1, tokensOut: 1, cacheWrites: 0, cacheReads: 0, cost: 0 };
const LIMITS = { mistakes: 0, requests: 1_000_000 };
const SHORT = 20;
const LONG = 600;
/** Messages are found by binary search: only its steps may grow. */
const SEARCH_STEPS = Math.ceil(Math.log2(LONG * 4)) - Math.floor(Math.log2(SHORT * 4)) + 1;

/** A task that repeats a request and a response without a call. */
function startTask() {
  const actor = createActor(taskMachine.provide({ actors: silentActors }), {
    input: { taskId: "t", completion: "tool", limits: LIMITS },
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

const ROUND = {
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

/** Reads of the log and the conversation by one delta, one end of a response and one query. */
function readsAfter(rounds: number) {
  const { actor, send } = startTask();
  for (let round = 0; round < rounds; round += 1) {
    send(ROUND.ready);
    send(ROUND.first);
    send(ROUND.finished);
  }
  send(ROUND.ready);
  send(ROUND.first);
  const counts = countReads();
  send(ROUND.delta);
  const delta = counts.single();
  send(ROUND.finished);
  const response = counts.single() - delta;
  detectAgentState(actor.getSnapshot().context.log);
  const query = counts.single() - delta - response;
  const whole = counts.whole();
  vi.restoreAllMocks();
  return { delta, response, query, whole, messages: actor.getSnapshot().context.log.length };
}

describe("the cost of a long task", () => {
  afterEach(() => vi.restoreAllMocks());

  it("a delta, an end of a response and a query read as much of a long log as of a short one (L17)", () => {
    const [short, long] = [readsAfter(SHORT), readsAfter(LONG)];
    expect(long.messages).toBeGreaterThan(short.messages * 20);
    expect(long.delta).toBe(short.delta);
    expect(long.query).toBe(short.query);
    expect(long.response - short.response).toBeLessThanOrEqual(2 * SEARCH_STEPS);
    expect([short.whole, long.whole]).toEqual([0, 0]);
  });

  it("a tracker reads as much of a long log as of a short one (L17)", () => {
    const reads = (messages: number): number => {
      const tracker = new StateTracker();
      const event = (ts: number): LogEvent => ({
        type: "message.appended",
        message: { ts, type: "say", say: "text" },
      });
      for (let ts = 1; ts <= messages; ts += 1) tracker.apply(event(ts));
      const counts = countReads();
      tracker.apply(event(messages + 1));
      tracker.apply({ type: "message.grown", ts: messages + 1, text: "more" });
      tracker.apply({ type: "message.amended", ts: messages + 1, patch: { partial: false } });
      expect(counts.whole()).toBe(0);
      const single = counts.single();
      vi.restoreAllMocks();
      return single;
    };
    expect(reads(20_000)).toBe(reads(20));
  });
});
