import { expect, test } from "vitest";
import { compactCause } from "../../../wire/journal/cause.ts";

test("a recorded cause keeps ids, numbers and short texts, one level deep", () => {
  expect(
    compactCause({
      type: "llm.failed",
      requestId: 3,
      failure: { code: "overloaded_error", message: "m".repeat(99), retryable: true, status: 529 },
      usage: { tokensIn: 1, tokensOut: 2, cacheWrites: 0, cacheReads: 0, cost: 0 },
      jitter: 0.5,
      at: 8,
    }),
  ).toEqual({
    type: "llm.failed",
    requestId: 3,
    failure: { code: "overloaded_error", retryable: true, status: 529 },
    usage: { tokensIn: 1, tokensOut: 2, cacheWrites: 0, cacheReads: 0, cost: 0 },
    jitter: 0.5,
    at: 8,
  });
});

test("a recorded cause has no `text` field, no lists and no numbers that JSON cannot represent", () => {
  expect(
    compactCause({
      type: "ask.answered",
      askId: Number.NaN,
      answer: { kind: "text", text: "no", images: ["data:"] },
      at: 9,
    }),
  ).toEqual({ type: "ask.answered", answer: { kind: "text" }, at: 9 });
});

test("a recorded cause has no text of a result, which hooks may withhold or replace", () => {
  const of = { callId: "1/a", at: 9 };
  expect(compactCause({ type: "tool.failed", ...of, error: "short" })).toEqual({
    type: "tool.failed",
    ...of,
  });
  expect(
    compactCause({ type: "tool.finished", ...of, found: "short", command: { output: "short", exitCode: 0 } }),
  ).toEqual({ type: "tool.finished", ...of, command: { exitCode: 0 } });
});
