import { expect, test } from "vitest";
import { ModelError } from "../../../actors/llm/model-error.ts";
import { NO_USAGE } from "../../../machines/task/request.ts";
import type { ModelEvent } from "../../../ports/model.ts";
import { heldEdge, settle, TestClock } from "../protocol/host.ts";
import {
  attempt,
  begin,
  finished,
  last,
  llmEvents,
  saying,
  spoken,
  text,
  wordsOf,
  writeTool,
} from "./attempt.ts";

function live(options: { readonly idleTimeoutMs?: number } = {}) {
  const clock = new TestClock();
  const { edge, release } = heldEdge(clock);
  const control = spoken();
  const actor = begin({ model: control.model, frameMs: 25, ...options }, edge);
  const say = async (...events: ModelEvent[]) => {
    for (const event of events) control.says.next(event);
    await settle();
  };
  const received = () => llmEvents(actor.received);
  return { clock, release, control, actor, say, received };
}

test("the first words are shown at once, the next with the frame, joined", async () => {
  const { clock, release, say, received } = live();
  release();
  await settle();
  await say(text("a"));
  expect(wordsOf(received())).toEqual({ 0: "a" });
  await say(text("b"));
  await say(text("c"));
  clock.moveTo(1_024);
  await settle();
  expect(received()).toHaveLength(1);
  clock.moveTo(1_025);
  await settle();
  expect(received()).toHaveLength(2);
  expect(wordsOf(received())).toEqual({ 0: "abc" });
});

test("the first words of each block are shown at once", async () => {
  const { release, say, received } = live();
  release();
  await settle();
  await say({ type: "usage", usage: NO_USAGE });
  await say({ type: "thinking.delta", text: "hm" });
  expect(wordsOf(received())).toEqual({ 0: "hm" });
  await say({ type: "thinking.end", signature: "s" });
  await say(text("\n"));
  expect(wordsOf(received())).toEqual({ 0: "hm" });
  await say(text("a"));
  expect(wordsOf(received())).toEqual({ 0: "hm", 1: "\na" });
});

test("when the model stalls, the frame's end shows what has come, and nothing more happens", async () => {
  const { clock, release, say, received } = live();
  release();
  await settle();
  await say(text("a"), text("b"));
  clock.moveTo(1_025);
  await settle();
  expect(wordsOf(received())).toEqual({ 0: "ab" });
  const before = clock.delays.filter((delay) => delay === 25).length;
  for (let time = 1_050; time < 2_000; time += 25) clock.moveTo(time);
  await settle();
  expect(clock.delays.filter((delay) => delay === 25).length - before).toBeLessThanOrEqual(1);
});

test("the end does not wait for its frame", async () => {
  const { release, say, received, clock } = live();
  release();
  await settle();
  await say(text("a"));
  await say(text("b"), finished());
  await settle();
  expect(received().map(({ type }) => type)).toEqual([
    "llm.text.delta",
    "llm.text.delta",
    "llm.text.end",
    "llm.finished",
  ]);
  expect(clock.waiting).toBe(0);
});

test("a model that is silent for idleTimeoutMs fails, and its signal is aborted", async () => {
  const { clock, release, say, received, control } = live({ idleTimeoutMs: 1_000 });
  release();
  await settle();
  for (let time = 1_000; time < 9_000; time += 900) {
    clock.moveTo(time);
    await say(text("x"));
  }
  expect(received().every(({ type }) => type === "llm.text.delta")).toBe(true);
  clock.moveTo(9_000 + 1_500);
  await settle();
  expect(last(received())).toMatchObject({
    type: "llm.failed",
    failure: { code: "idle_timeout", retryable: true, message: expect.stringContaining("idleTimeoutMs") },
  });
  expect([control.aborted, clock.waiting]).toEqual([true, 0]);
});

test("L10: a stop silences it at once, aborts the model's signal and leaves no timer", async () => {
  const { clock, release, say, received, control, actor } = live();
  release();
  await settle();
  await say(text("a"));
  actor.stop();
  await say(text("b"), finished());
  clock.moveTo(99_999);
  await settle();
  expect(wordsOf(received())).toEqual({ 0: "a" });
  expect([control.aborted, clock.waiting]).toEqual([true, 0]);
});

test("L11: the model is not asked before the edge releases the request", async () => {
  const { release, say, received, control, actor } = live();
  await say(text("a"));
  actor.stop();
  release();
  await settle();
  expect([received(), control.aborted]).toEqual([[], false]);
});

test("a failure carries the model's words for it, what was used so far, and the jitter of the edge (L15)", async () => {
  const usage = { ...NO_USAGE, tokensIn: 12 };
  const error = new ModelError("overloaded_error", "Busy.", {
    retryable: true,
    status: 529,
    retryAfterMs: 1_500,
  });
  const edge = { ...heldEdge().edge, random: () => 0.25, release: (start: () => void) => start() };
  const events = await attempt({ model: saying([{ type: "usage", usage }, text("a")], error) }, edge);
  expect(events.map(({ type }) => type)).toEqual(["llm.usage", "llm.text.delta", "llm.failed"]);
  expect(last(events)).toEqual({
    type: "llm.failed",
    requestId: 42,
    failure: {
      code: "overloaded_error",
      message: "Busy.",
      retryable: true,
      status: 529,
      retryAfterMs: 1_500,
    },
    usage,
    jitter: 0.25,
    at: 1_000,
  });
});

test.each([
  [new TypeError("terminated", { cause: new Error("other side closed") }), "stream_cut", true],
  [new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") }), "connection_error", true],
  [new Error("a bug"), "model_error", false],
  ["words", "model_error", false],
])("a model that throws %s has failed with %s", async (error, code, retryable) => {
  const end = last(await attempt({ model: saying([], error) }));
  expect(end).toMatchObject({ failure: { code, retryable } });
});

test("a key that stands in an error is masked, and a long message cut", async () => {
  const error = new Error(`sk-ant-api03-secret-${"x".repeat(5_000)} ${"y".repeat(5_000)}`);
  const end = last(await attempt({ model: saying([], error) }));
  if (end.type !== "llm.failed") throw new Error("expected a failure");
  expect(end.failure.message).not.toContain("secret");
  expect(end.failure.message.length).toBeLessThan(2_100);
});

test("a failure quotes no half of a character", async () => {
  const long = new ModelError(`code\ud83d`, `\ud83d${"👋".repeat(2_000)}`, { retryable: false });
  const end = last(await attempt({ model: saying([], long) }));
  if (end.type !== "llm.failed") throw new Error("expected a failure");
  expect([end.failure.code, end.failure.message].map((quoted) => quoted.isWellFormed())).toEqual([
    true,
    true,
  ]);
});

test("the model is given the system prompt without empty parts, the whole history, and the tools' schemas", async () => {
  let request: unknown;
  const model = {
    id: "test",
    async *stream(asked: unknown): AsyncGenerator<ModelEvent> {
      request = asked;
      yield text("ok");
      yield finished();
    },
  };
  await attempt({ model, system: async () => ["one", " ", "two"] });
  expect(request).toEqual({
    system: ["one", "two"],
    messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
    tools: [
      { name: writeTool.name, description: writeTool.description, input_schema: writeTool.inputSchema },
    ],
  });
});

test("a system prompt that can't be made is a failure of the request", async () => {
  const system = () => Promise.reject(new Error("no rules"));
  const end = last(await attempt({ model: saying([finished()]), system }));
  expect(end).toMatchObject({
    type: "llm.failed",
    failure: { message: expect.stringContaining("no rules") },
  });
});
