import { expect, test } from "vitest";
import { applyLogEvent, emptyLog } from "../../../machines/message/log.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { resultOf } from "../../../machines/message/result.ts";

const messages = (...kinds: readonly Omit<ClineMessage, "ts">[]): ClineMessage[] =>
  kinds.map((kind, ts) => ({ ...kind, ts }));
const say = (kind: NonNullable<ClineMessage["say"]>, text?: string) =>
  ({ type: "say", say: kind, ...(text !== undefined && { text }) }) as const;
const COMPLETION = { type: "ask", ask: "completion_result", text: "" } as const;
const PROMPT = say("text", "Count");
const REQUEST = say("api_req_started", "{}");

test("the result comes from the completion's call", () => {
  const log = messages(
    PROMPT,
    REQUEST,
    say("text", "I count."),
    say("completion_result", "Two."),
    COMPLETION,
  );
  expect(resultOf(log)).toBe("Two.");
});

test("without a call the result is the texts of the response before the ask, and of no earlier one", () => {
  const log = messages(
    PROMPT,
    REQUEST,
    say("text", "Earlier."),
    REQUEST,
    say("text", "One."),
    say("reasoning", "Hm."),
    say("text", ""),
    say("text"),
    say("text", "Two."),
    COMPLETION,
  );
  expect(resultOf(log)).toBe("One.\n\nTwo.");
});

test("texts that follow each other, as around citations, are one", () => {
  const texts = [say("text", "One "), say("text", "and "), say("text", "two.")];
  const last = [say("reasoning", "Hm."), say("text", "Three.")];
  expect(resultOf(messages(PROMPT, REQUEST, ...texts, ...last, COMPLETION))).toBe("One and two.\n\nThree.");
});

test("the first message of a log counts, where a log begins with a response", () => {
  expect(resultOf(messages(say("text", "One."), COMPLETION))).toBe("One.");
});

test("it stays after the ask to resume a completed task, and the newest completion counts", () => {
  const resumed = { type: "ask", ask: "resume_completed_task", text: "" } as const;
  const one = [PROMPT, REQUEST, say("text", "One."), COMPLETION, resumed];
  expect(resultOf(messages(...one))).toBe("One.");
  const two = [...one, say("user_feedback", "Go on"), REQUEST, say("text", "Two."), COMPLETION];
  expect(resultOf(messages(...two))).toBe("Two.");
});

test("there is none without a completion, in an empty log, or for a completion without text", () => {
  expect(resultOf([])).toBeUndefined();
  expect(resultOf(messages(PROMPT, REQUEST, say("text", "I count.")))).toBeUndefined();
  expect(resultOf(messages(PROMPT, REQUEST, say("text", "One."), say("reasoning", "Hm.")))).toBeUndefined();
  expect(resultOf(messages(PROMPT, REQUEST, COMPLETION))).toBeUndefined();
  expect(resultOf(messages(PROMPT, REQUEST, say("completion_result"), COMPLETION))).toBeUndefined();
});

test("a foreign array may have empty slots, and a log is read like an array", () => {
  const list = messages(PROMPT, REQUEST, say("text", "One."), COMPLETION);
  expect(resultOf([...list.slice(0, 3), undefined, null, ...list.slice(3)])).toBe("One.");
  expect(resultOf(applyLogEvent(emptyLog, { type: "log.replaced", messages: list }))).toBe("One.");
});
