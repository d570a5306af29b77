import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { askActor } from "../../../actors/ask/ask.ts";
import type { Expiry } from "../../../actors/ask/expiry.ts";
import { type AskHandle, createOpenAsks, type OpenAsks } from "../../../actors/ask/open-asks.ts";
import type { Answer } from "../../../machines/message/asks.ts";
import type { ActorInputs } from "../../../machines/task/task.setup.ts";
import { heldEdge, host, TestClock } from "../protocol/host.ts";

type AskInput = ActorInputs["ask"];
const question: AskInput = { askId: 1000, ask: "tool", text: "{}", callId: "c1", accepts: ["yes", "no"] };
const yes: Answer = { kind: "yes" };

interface Setting {
  readonly asks?: OpenAsks;
  readonly expiry?: (ask: AskInput) => Expiry | undefined;
}

function open(input: AskInput = question, options: Setting = {}) {
  const clock = new TestClock();
  const { edge, release } = heldEdge(clock);
  const asks = options.asks ?? createOpenAsks();
  const seen: AskHandle[] = [];
  asks.opened$.subscribe((handle) => seen.push(handle));
  const actor = host(askActor(edge, { tools: [], ...options, asks }), input);
  const first = (): AskHandle => {
    const [handle] = seen;
    if (handle === undefined) throw new Error("Expected an open ask.");
    return handle;
  };
  return { ...actor, clock, release, asks, seen, first };
}

describe("an ask", () => {
  test("L11: opens once it is released, and not before", () => {
    const ask = open();
    expect([ask.seen, ask.asks.open]).toEqual([[], []]);
    ask.release();
    expect(ask.seen).toMatchObject([question]);
    expect(ask.asks.open).toEqual(ask.seen);
  });

  test("L8: takes one answer, and is then closed", () => {
    const ask = open();
    ask.release();
    expect(ask.first().answer(yes)).toEqual({ ok: true });
    expect(ask.received).toEqual([{ type: "ask.answered", askId: 1000, answer: yes, at: 1000 }]);
    expect(ask.asks.open).toEqual([]);
  });

  test("L8: rejects an answer of a kind that it does not accept, and stays open", () => {
    const ask = open();
    ask.release();
    expect(ask.first().answer({ kind: "text", text: "well" })).toEqual({
      ok: false,
      code: "ANSWER_REFUSED",
      message: "Ask 1000 (tool) accepts yes, no, not text.",
    });
    expect(ask.received).toEqual([]);
    expect(ask.first().answer({ kind: "no" })).toEqual({ ok: true });
  });

  test("L13: rejects a blank text, and stays open", () => {
    const ask = open({ ...question, ask: "completion_result", accepts: ["yes", "no", "text"] });
    ask.release();
    expect(ask.first().answer({ kind: "text", text: " \n" })).toMatchObject({
      ok: false,
      code: "ANSWER_REFUSED",
    });
    expect(ask.received).toEqual([]);
    expect(ask.first().answer({ kind: "text", text: "go on" })).toEqual({ ok: true });
  });

  test("L8: a second answer is rejected, by the handle and by id", () => {
    const ask = open();
    ask.release();
    ask.first().answer(yes);
    for (const result of [ask.first().answer(yes), ask.asks.answer(1000, { kind: "no" })]) {
      expect(result).toMatchObject({ ok: false, code: "ASK_ALREADY_ANSWERED" });
    }
    ask.stop();
    expect(ask.asks.answer(1000, yes)).toMatchObject({ code: "ASK_ALREADY_ANSWERED" });
    expect(ask.received.length).toBe(1);
  });

  test("L8: an answer after the withdrawal is rejected", () => {
    const ask = open();
    ask.release();
    ask.stop();
    expect(ask.asks.open).toEqual([]);
    expect(ask.first().answer(yes)).toMatchObject({ ok: false, code: "ASK_CLOSED" });
    expect(ask.asks.answer(1000, yes)).toMatchObject({ ok: false, code: "ASK_CLOSED" });
    expect(ask.received).toEqual([]);
  });

  test("takes an answer that is given while it opens", () => {
    const asks = createOpenAsks();
    asks.opened$.subscribe((handle) => handle.answer(yes));
    const ask = open(question, { asks });
    ask.release();
    expect(ask.received).toMatchObject([{ type: "ask.answered" }]);
    expect(asks.open).toEqual([]);
  });

  test.prop([fc.array(fc.constantFrom("yes", "no", "text", "stop", "expire"), { maxLength: 6 })])(
    "L8: is closed exactly once, in any order of answers, stop and expiry",
    (acts) => {
      const ask = open(question, { expiry: () => ({ afterMs: 10, answer: { kind: "no" }, rule: "late" }) });
      ask.release();
      const taken = acts.filter((act) => {
        if (act === "stop") ask.stop();
        else if (act === "expire") ask.clock.moveTo(1010);
        else return ask.first().answer(act === "text" ? { kind: act, text: "" } : { kind: act }).ok;
        return false;
      });
      const decisive = acts.find((act) => act !== "text");
      const answered = decisive === "yes" || decisive === "no";
      expect(taken).toEqual(answered ? [decisive] : []);
      const closing = ask.received.map(({ type }) => type);
      if (answered) expect(closing).toEqual(["ask.answered"]);
      else expect(closing).toEqual(decisive === "expire" ? ["ask.expired"] : []);
    },
  );
});

describe("an expiry", () => {
  const expiry = () => ({ afterMs: 500, answer: { kind: "no" } as const, rule: "night" });

  test("L7: answers for its rule when its time since the first post of the ask is over", () => {
    const ask = open(question, { expiry });
    ask.clock.moveTo(1200);
    ask.release();
    ask.clock.moveTo(1499);
    expect(ask.received).toEqual([]);
    ask.clock.moveTo(1500);
    expect(ask.received).toEqual([
      { type: "ask.expired", askId: 1000, answer: { kind: "no" }, rule: "night", at: 1500 },
    ]);
    expect(ask.first().answer(yes)).toMatchObject({ code: "ASK_ALREADY_ANSWERED" });
  });

  test("is cancelled by an answer and by a stop", () => {
    const answered = open(question, { expiry });
    answered.release();
    answered.first().answer(yes);
    const stopped = open(question, { expiry });
    stopped.release();
    stopped.stop();
    expect([answered.clock.waiting, stopped.clock.waiting]).toEqual([0, 0]);
  });

  test("with an answer that the ask does not accept throws an error that names the rule", () => {
    const bad = () => ({ afterMs: 1, answer: { kind: "text", text: "hm" } as const, rule: "chatty" });
    const ask = open(question, { expiry: bad });
    expect(() => ask.release()).toThrow(
      "Rule chatty would answer ask 1000 (tool) with text: expected one of yes, no",
    );
    expect(ask.asks.open).toEqual([]);
  });
});

describe("open asks", () => {
  test("L8: reject an answer to an unknown ask, and list the open ones", () => {
    const asks = createOpenAsks();
    expect(asks.answer(3, yes)).toMatchObject({ ok: false, code: "ASK_UNKNOWN" });
    const ask = open(question, { asks });
    ask.release();
    expect(asks.answer(3, yes)).toMatchObject({ message: expect.stringContaining("open now: 1000") });
    expect(asks.answer(1000, yes)).toEqual({ ok: true });
  });

  test("L14: keep a bounded number of closed asks", () => {
    const asks = createOpenAsks({ maxClosed: 2 });
    for (const askId of [1, 2, 3]) {
      const ask = open({ ...question, askId }, { asks });
      ask.release();
      ask.stop();
    }
    expect([1, 2, 3].map((askId) => asks.answer(askId, yes))).toMatchObject([
      { code: "ASK_UNKNOWN" },
      { code: "ASK_CLOSED" },
      { code: "ASK_CLOSED" },
    ]);
  });
});
