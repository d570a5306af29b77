import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StateStore } from "../../../../client/index.ts";
import { MessageList } from "../../../../client/roo/extension/message-list.ts";
import { detectAgentState } from "../../../../machines/message/detect.ts";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { test as property } from "../../../support/prop.ts";
import { ask, say } from "./spoken.ts";

const row: fc.Arbitrary<ClineMessage> = fc
  .record({
    ts: fc.nat(12),
    kind: fc.constantFrom("text", "api_req_started", "tool", "completion_result"),
    isAsk: fc.boolean(),
    partial: fc.constantFrom(undefined, true, false),
    text: fc.constantFrom("", "{}", '{"cost":1}', "words"),
  })
  .map(({ ts, kind, isAsk, partial, text }) => {
    const more = { text, ...(partial !== undefined && { partial }) };
    return isAsk ? ask(ts, kind, more) : say(ts, kind, more);
  });

const keyOf = ({ ts, type, ask: a, say: s }: ClineMessage) => `${ts} ${type} ${a ?? s}`;

describe("a StateStore", () => {
  property.prop([fc.array(row, { maxLength: 12 }), fc.array(row, { maxLength: 12 })])(
    "always has the state that its messages imply, in order or not (L2)",
    (first, updates) => {
      const store = new StateStore({ now: () => 0 });
      store.setMessages(first);
      for (const update of updates) {
        const former = store.getMessages();
        const last = former.at(-1);
        store.updateMessage(update);
        const there = former.findIndex((one) => keyOf(one) === keyOf(update));
        const isBehind = last === undefined || last.ts <= update.ts;
        if (there < 0) expect(store.getMessages()).toEqual(isBehind ? [...former, update] : former);
        else expect(store.getMessages()).toContainEqual(update);
        expect(store.getAgentState()).toEqual(detectAgentState(store.getMessages()));
      }
    },
  );

  test("returns the state before each change", () => {
    const store = new StateStore();
    expect(store.setMessages([say(1, "text")]).state).toBe("no_task");
    expect(store.addMessage(ask(2, "tool")).state).toBe("running");
    expect(store.updateMessage(ask(2, "tool", { text: "x" })).state).toBe("waiting_for_input");
    expect(store.getLastMessage()).toEqual(ask(2, "tool", { text: "x" }));
    expect(store.getCurrentAsk()).toBe("tool");
  });

  test("keeps at most maxHistorySize previous states, with their messages", () => {
    let now = 0;
    const store = new StateStore({ maxHistorySize: 2, now: () => ++now });
    for (const ts of [1, 2, 3]) store.addMessage(say(ts, "text"));
    expect(store.getHistory().map(({ messages }) => messages.length)).toEqual([1, 2]);
    expect(store.getHistory().map(({ lastUpdatedAt }) => lastUpdatedAt)).toEqual([1, 2]);
    store.clearHistory();
    expect(store.getHistory()).toEqual([]);
    const without = new StateStore({ maxHistorySize: 0 });
    without.addMessage(say(1, "text"));
    expect(without.getHistory()).toEqual([]);
    expect(() => new StateStore({ maxHistorySize: -1 })).toThrow(/maxHistorySize: expected a whole number/);
  });

  test("calls its observers immediately and after each change, but not on reset", () => {
    const store = new StateStore();
    const states: string[] = [];
    const counts: number[] = [];
    store.subscribeToAgentState(({ state }) => states.push(state));
    const stop = store.subscribe(({ messages }) => counts.push(messages.length));
    store.setMessages([ask(1, "tool")]);
    store.setCurrentMode("code");
    store.setExtensionState({ taskId: "t", mode: "code", version: 3 });
    expect(store.getState().extensionState).toEqual({ taskId: "t", mode: "code", version: 3 });
    store.reset();
    expect(store.getCurrentState()).toBe("no_task");
    expect(store.getState()).toMatchObject({ isInitialized: false, currentMode: undefined });
    expect(states).toEqual(["no_task", "waiting_for_input"]);
    expect(counts).toEqual([0, 1, 1, 1]);
    stop();
    store.setMessages([]);
    expect(counts).toHaveLength(4);
  });

  test("inserts a late message with a revision in its position", () => {
    const store = new StateStore();
    const at = (number: number) => ({ taskId: "t", revision: { source: "s", number } });
    store.setMessages([say(1, "text")], at(1));
    store.updateMessage(ask(5, "tool"), at(3));
    store.updateMessage(say(3, "api_req_started", { text: "{}" }), at(2));
    expect(store.getMessages().map(({ ts }) => ts)).toEqual([1, 3, 5]);
    expect(store.getCurrentState()).toBe("waiting_for_input");
  });

  test("accepts another run of its sender with a state push, and then no late message of the previous run", () => {
    const store = new StateStore();
    const at = (source: string, number: number) => ({ taskId: "t", revision: { source, number } });
    store.setMessages([say(1, "text"), say(2, "text")], at("first", 90));
    store.updateMessage(say(7, "text"), at("second", 2));
    expect(store.getMessages()).toHaveLength(2);
    store.setMessages([say(1, "text"), ask(3, "resume_task")], at("second", 1));
    store.updateMessage(say(9, "text"), at("first", 91));
    expect(store.getMessages().map(({ ts }) => ts)).toEqual([1, 3]);
  });
});

test("an update reads as many messages in a log of 100,000 as in a log of 100 (L17)", () => {
  const readsOf = (length: number): number => {
    const list = new MessageList();
    list.replace(Array.from({ length }, (_, ts) => say(ts, ts % 50 === 0 ? "api_req_started" : "text")));
    let reads = 0;
    const counted = (message: ClineMessage): ClineMessage =>
      new Proxy(message, {
        get(target, field, receiver) {
          if (field === "ts") reads += 1;
          return Reflect.get(target, field, receiver);
        },
      });
    list.replace(list.messages.toArray().map(counted));
    reads = 0;
    for (let n = 0; n < 10; n += 1) {
      list.put(say(length - 1, "text", { text: `grown ${n}` }));
      list.put(say(length + n, "text"));
      list.put(say(length - 20, "text", { text: `amended ${n}` }));
      expect(list.info.state).toBe("running");
    }
    return reads;
  };
  // A search of a sorted list takes some more steps in a longer one.
  expect(readsOf(100_000)).toBeLessThan(readsOf(100) + 10 * 3 * 17);
});
