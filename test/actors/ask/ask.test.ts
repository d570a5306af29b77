import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { type AskHandle, type AskOptions, askActor, createAskBoard } from "../../../actors/ask/index.ts";
import type { Answer } from "../../../machines/message/index.ts";
import type { ActorInputs } from "../../../machines/task/index.ts";
import { heldEdge, host, TestClock } from "../protocol/host.ts";

type AskInput = ActorInputs["ask"];
const question: AskInput = { askId: 1000, ask: "tool", text: "{}", callId: "c1", accepts: ["yes", "no"] };
const yes: Answer = { kind: "yes" };

function open(input: AskInput = question, options: Partial<AskOptions> = {}) {
  const clock = new TestClock();
  const { edge, release } = heldEdge(clock);
  const board = options.board ?? createAskBoard();
  const seen: AskHandle[] = [];
  board.opened$.subscribe((handle) => seen.push(handle));
  const actor = host(askActor(edge, { ...options, board }), input);
  const first = (): AskHandle => {
    const [handle] = seen;
    if (handle === undefined) throw new Error("No ask is on the board.");
    return handle;
  };
  return { ...actor, clock, release, board, seen, first };
}

describe("an ask", () => {
  test("L11: is on the board once it is released, and not before", () => {
    const ask = open();
    expect([ask.seen, ask.board.open]).toEqual([[], []]);
    ask.release();
    expect(ask.seen).toMatchObject([question]);
    expect(ask.board.open).toEqual(ask.seen);
  });

  test("L8: takes one answer; it is off the board then", () => {
    const ask = open();
    ask.release();
    expect(ask.first().answer(yes)).toEqual({ taken: true });
    expect(ask.heard).toEqual([{ type: "ask.answered", askId: 1000, answer: yes, at: 1000 }]);
    expect(ask.board.open).toEqual([]);
  });

  test("L8: refuses an answer of a kind that it doesn't take, names those it does, and stays open", () => {
    const ask = open();
    ask.release();
    expect(ask.first().answer({ kind: "text", text: "well" })).toEqual({
      taken: false,
      code: "ANSWER_REFUSED",
      message: "Ask 1000 (tool) takes yes, no, not text. Give one of the answers that it takes.",
    });
    expect(ask.heard).toEqual([]);
    expect(ask.first().answer({ kind: "no" })).toEqual({ taken: true });
  });

  test("L13: refuses a text without words, for nothing would come of it, and stays open", () => {
    const ask = open({ ...question, ask: "completion_result", accepts: ["yes", "no", "text"] });
    ask.release();
    expect(ask.first().answer({ kind: "text", text: " \n" })).toMatchObject({
      taken: false,
      code: "ANSWER_REFUSED",
    });
    expect(ask.heard).toEqual([]);
    expect(ask.first().answer({ kind: "text", text: "go on" })).toEqual({ taken: true });
  });

  test("L8: whoever comes second is told so, by the handle and by the board", () => {
    const ask = open();
    ask.release();
    ask.first().answer(yes);
    for (const result of [ask.first().answer(yes), ask.board.answer(1000, { kind: "no" })]) {
      expect(result).toMatchObject({ taken: false, code: "ASK_ALREADY_ANSWERED" });
    }
    ask.stop();
    expect(ask.board.answer(1000, yes)).toMatchObject({ code: "ASK_ALREADY_ANSWERED" });
    expect(ask.heard.length).toBe(1);
  });

  test("L8: an answer after its withdrawal changes nothing and is told so", () => {
    const ask = open();
    ask.release();
    ask.stop();
    expect(ask.board.open).toEqual([]);
    expect(ask.first().answer(yes)).toMatchObject({ taken: false, code: "ASK_CLOSED" });
    expect(ask.board.answer(1000, yes)).toMatchObject({ taken: false, code: "ASK_CLOSED" });
    expect(ask.heard).toEqual([]);
  });

  test("an answer that is given while the ask opens is taken", () => {
    const board = createAskBoard();
    board.opened$.subscribe((handle) => handle.answer(yes));
    const ask = open(question, { board });
    ask.release();
    expect(ask.heard).toMatchObject([{ type: "ask.answered" }]);
    expect(board.open).toEqual([]);
  });

  test.prop([fc.array(fc.constantFrom("yes", "no", "text", "stop", "expire"), { maxLength: 6 })])(
    "L8: is closed exactly once, whatever comes in whatever order",
    (acts) => {
      const ask = open(question, { expiry: () => ({ afterMs: 10, answer: { kind: "no" }, rule: "late" }) });
      ask.release();
      const taken = acts.filter((act) => {
        if (act === "stop") ask.stop();
        else if (act === "expire") ask.clock.moveTo(1010);
        else return ask.first().answer(act === "text" ? { kind: act, text: "" } : { kind: act }).taken;
        return false;
      });
      const decisive = acts.find((act) => act !== "text");
      const answered = decisive === "yes" || decisive === "no";
      expect(taken).toEqual(answered ? [decisive] : []);
      const closing = ask.heard.map(({ type }) => type);
      if (answered) expect(closing).toEqual(["ask.answered"]);
      else expect(closing).toEqual(decisive === "expire" ? ["ask.expired"] : []);
    },
  );
});

describe("an expiry", () => {
  const expiry = () => ({ afterMs: 500, answer: { kind: "no" } as const, rule: "night" });

  test("L7: answers by its rule once its time is over, counted from when the ask was first posted", () => {
    const ask = open(question, { expiry });
    ask.clock.moveTo(1200);
    ask.release();
    ask.clock.moveTo(1499);
    expect(ask.heard).toEqual([]);
    ask.clock.moveTo(1500);
    expect(ask.heard).toEqual([
      { type: "ask.expired", askId: 1000, answer: { kind: "no" }, rule: "night", at: 1500 },
    ]);
    expect(ask.first().answer(yes)).toMatchObject({ code: "ASK_ALREADY_ANSWERED" });
  });

  test("is taken back by an answer and by a stop", () => {
    const answered = open(question, { expiry });
    answered.release();
    answered.first().answer(yes);
    const stopped = open(question, { expiry });
    stopped.release();
    stopped.stop();
    expect([answered.clock.waiting, stopped.clock.waiting]).toEqual([0, 0]);
  });

  test("that would give what the ask doesn't take is refused by name, and the ask is not opened", () => {
    const bad = () => ({ afterMs: 1, answer: { kind: "text", text: "hm" } as const, rule: "chatty" });
    const ask = open(question, { expiry: bad });
    expect(() => ask.release()).toThrow(
      "Rule chatty would answer ask 1000 (tool) with text; it takes yes, no.",
    );
    expect(ask.board.open).toEqual([]);
  });
});

describe("the board", () => {
  test("L8: an answer to an ask that it doesn't know is refused, with what is open", () => {
    const board = createAskBoard();
    expect(board.answer(3, yes)).toMatchObject({ taken: false, code: "ASK_UNKNOWN" });
    const ask = open(question, { board });
    ask.release();
    expect(board.answer(3, yes)).toMatchObject({ message: expect.stringContaining("open now: 1000") });
    expect(board.answer(1000, yes)).toEqual({ taken: true });
  });

  test("L14: it remembers a bounded number of closed asks", () => {
    const board = createAskBoard({ remembered: 2 });
    for (const askId of [1, 2, 3]) {
      const ask = open({ ...question, askId }, { board });
      ask.release();
      ask.stop();
    }
    expect([1, 2, 3].map((askId) => board.answer(askId, yes))).toMatchObject([
      { code: "ASK_UNKNOWN" },
      { code: "ASK_CLOSED" },
      { code: "ASK_CLOSED" },
    ]);
  });
});
