import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { ModelError } from "../../../actors/llm/model-error.ts";
import type { Entry } from "../../../machines/conversation/entry.ts";
import { NO_USAGE } from "../../../machines/task/request.ts";
import type { StopReason } from "../../../machines/task/task.events.ts";
import type { ModelEvent } from "../../../ports/model.ts";
import { attempt, finished, hello, last, saying, text, wordsOf, writeTool } from "./attempt.ts";

const call = (id: string, json: string, name = "write_to_file"): ModelEvent[] => [
  { type: "tool.start", id, name },
  { type: "tool.delta", json },
  { type: "block.end" },
];
const end = (stopReason: StopReason): ModelEvent => ({ type: "finished", stopReason, usage: NO_USAGE });
const types = (events: readonly { readonly type: string }[]): string[] =>
  events.map(({ type }) => type.replace("llm.", ""));
const say = (...events: ModelEvent[]) => attempt({ model: saying(events) });

describe("the events of a response", () => {
  test("blocks are numbered from 0 without gaps, in the order in which they begin to be seen", async () => {
    const events = await say(
      { type: "thinking.delta", text: "hm" },
      { type: "thinking.end", signature: "sig" },
      { type: "thinking.redacted", data: "xyz" },
      text("\n\n"),
      ...call("a", "{}"),
      text("done"),
      finished(),
    );
    expect(events.flatMap((event) => ("index" in event ? [event.index] : []))).toEqual([0, 0, 1, 2, 2]);
    expect(wordsOf(events)).toEqual({ 0: "hm", 2: "done" });
  });

  test("a block that is not interpreted is one event, and is in the response as it came", async () => {
    const block = { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } };
    const extra = { citations: [{ cited_text: "x" }] };
    const events = await say(
      text("a"),
      { type: "block.end" },
      { type: "opaque", block },
      text("b"),
      { type: "block.end", extra },
      { type: "tool.start", id: "c", name: "write_to_file", extra: { caller: { type: "direct" } } },
      { type: "tool.delta", json: "{}" },
      { type: "block.end" },
      end("tool_use"),
    );
    const opaque = events.find(({ type }) => type === "llm.opaque");
    expect(opaque).toMatchObject({ index: 1, text: `server_tool_use\n${JSON.stringify(block)}` });
    expect(last(events)).toMatchObject({
      content: [
        { type: "text", text: "a" },
        { type: "opaque", block },
        { type: "text", text: "b", ...extra },
        { type: "tool_use", id: "c", caller: { type: "direct" } },
      ],
    });
  });

  test("a response of such a block alone is a response", async () => {
    const block = { type: "compaction", content: "c" };
    expect(last(await say({ type: "opaque", block }, finished()))).toMatchObject({
      type: "llm.finished",
      content: [{ type: "opaque", block }],
    });
  });

  test("a block of unknown type with half of a surrogate pair is well-formed, and counts for the limit (L14)", async () => {
    const block = { type: "later", text: "a\ud800" };
    expect(last(await say({ type: "opaque", block }, finished()))).toMatchObject({
      content: [{ block: { type: "later", text: "a\ufffd" } }],
    });
    const long = { type: "later", text: "x".repeat(3_000) };
    const events = await say({ type: "opaque", block: long }, finished());
    expect(events.find(({ type }) => type === "llm.opaque")).toMatchObject({
      text: expect.stringMatching(/ \.\.\. \[3026 characters\]$/),
    });
    const model = saying([{ type: "opaque", block: long }, finished()]);
    expect(last(await attempt({ model, answerMaxChars: 100 }))).toMatchObject({
      type: "llm.failed",
      failure: { code: "answer_too_large" },
    });
  });

  test("usage is finite: an amount that cannot be summed keeps its previous value", async () => {
    const usage = (amount: number) => ({
      tokensIn: amount,
      tokensOut: 7,
      cacheWrites: 0,
      cacheReads: amount,
      cost: amount,
    });
    for (const wrong of [1e308, Number.POSITIVE_INFINITY, Number.NaN, -1]) {
      const events = await say({ type: "usage", usage: usage(3) }, text("done"), {
        type: "finished",
        stopReason: "end_turn",
        usage: usage(wrong),
      });
      expect(last(events)).toMatchObject({ type: "llm.finished", usage: usage(3) });
    }
  });

  test("a blank text block is left out of the conversation, and the task hears nothing of it", async () => {
    const events = await say(
      text(" \n"),
      { type: "block.end" },
      text("\n"),
      text("word"),
      text(" "),
      finished(),
    );
    expect(wordsOf(events)).toEqual({ 0: "\nword " });
    expect(last(events)).toMatchObject({ content: [{ type: "text", text: "\nword " }] });
  });

  test("a call has the request's id in its own, and the canonical name for an alias", async () => {
    const events = await say(...call("toolu_1", '{"path":"a"}', "write_file"), end("tool_use"));
    expect(events[0]).toMatchObject({
      type: "llm.tool.start",
      callId: "42/toolu_1",
      toolUseId: "toolu_1",
      name: "write_to_file",
      ask: "tool",
    });
    expect(last(events)).toMatchObject({
      content: [{ type: "tool_use", id: "toolu_1", name: "write_file", input: { path: "a" } }],
    });
  });

  test("an unknown tool keeps its name, and asks as a tool", async () => {
    const [start] = await say(...call("a", "{}", "constructor"), end("tool_use"));
    expect(start).toMatchObject({ name: "constructor", ask: "tool" });
  });

  test("L6: thinking goes back as it came, signature included, also when its text is hidden", async () => {
    const events = await say(
      { type: "thinking.end", signature: "only" },
      { type: "thinking.delta", text: "a" },
      { type: "thinking.delta", text: "b" },
      { type: "thinking.end", signature: "s" },
      { type: "thinking.redacted", data: "d" },
      text("so"),
      finished(),
    );
    expect(last(events)).toMatchObject({
      content: [
        { type: "thinking", thinking: "", signature: "only" },
        { type: "thinking", thinking: "ab", signature: "s" },
        { type: "redacted_thinking", data: "d" },
        { type: "text", text: "so" },
      ],
    });
  });

  test("L6: thinking that never got its signature stays out of the conversation", async () => {
    const events = await say({ type: "thinking.delta", text: "a" }, text("so"), finished());
    expect(last(events)).toMatchObject({ content: [{ type: "text", text: "so" }] });
  });

  const starts = (events: Awaited<ReturnType<typeof say>>) =>
    events.flatMap((event) =>
      event.type === "llm.tool.start" ? [[event.callId, event.toolUseId] as const] : [],
    );

  test.each<[string, readonly string[], readonly string[]]>([
    ["with one id", ["a", "a", "a"], ["a", "a_2", "a_3"]],
    ["with an id that a copy would have", ["a", "a_2", "a"], ["a", "a_2", "a_3"]],
    ["without an id", ["", ""], ["call", "call_2"]],
    ["whose ids differ in characters that the endpoint rejects", ["a:1", "a/1"], ["a_1", "a_1_2"]],
    ["whose ids differ in halves of characters", ["\ud83d", "\ude00"], ["_", "__2"]],
  ])("L6: calls %s run each under its own id, in events, log and conversation", async (_, ids, unique) => {
    const calls = ids.flatMap((id, at) => call(id, JSON.stringify({ path: String(at) })));
    const events = await say(...calls, end("tool_use"));
    expect(starts(events)).toEqual(unique.map((id) => [`42/${id}`, id]));
    expect(events.flatMap((event) => (event.type === "llm.tool.end" ? [event] : []))).toMatchObject(
      unique.map((id, at) => ({ callId: `42/${id}`, input: { path: String(at) } })),
    );
    expect(last(events)).toMatchObject({
      content: unique.map((id, at) => ({ type: "tool_use", id, input: { path: String(at) } })),
    });
  });

  test("L6: a call with an id of the conversation gets another one, which no other call has", async () => {
    const earlier: Entry[] = ["a", "a_3"].map((id) => ({
      role: "assistant",
      content: [{ type: "tool_use", id, name: "write_to_file", input: {} }],
    }));
    const server: Entry = {
      role: "assistant",
      content: [{ type: "opaque", block: { type: "server_tool_use", id: "b", name: "web_search" } }],
    };
    const model = saying([...call("a_2", "{}"), ...call("a", "{}"), ...call("b", "{}"), end("tool_use")]);
    const events = await attempt({ model }, undefined, [...hello, ...earlier, server]);
    const unique = ["a_2", "a_4", "b_2"];
    expect(starts(events)).toEqual(unique.map((id) => [`42/${id}`, id]));
    expect(last(events)).toMatchObject({ content: unique.map((id) => ({ type: "tool_use", id })) });
  });
});

describe("L7: a call whose arguments did not come whole is broken", () => {
  test("the last call of an answer that was cut at the output limit, even where its JSON parses", async () => {
    const events = await say(...call("a", '{"path":"a"}'), ...call("b", '{"path":"b"}'), end("max_tokens"));
    expect(types(events)).toEqual(["tool.start", "tool.end", "tool.start", "tool.broken", "finished"]);
    expect(events[3]).toMatchObject({ callId: "42/b", error: expect.stringContaining("output limit") });
    expect(last(events)).toMatchObject({
      stopReason: "max_tokens",
      content: [{ input: { path: "a" } }, { input: { unparsed_arguments: '{"path":"b"}' } }],
    });
  });

  test("not a call that another block followed", async () => {
    const events = await say(...call("a", '{"path":"a"}'), text("and"), end("max_tokens"));
    expect(types(events)).toContain("tool.end");
  });

  test.each([
    ['{"path": "a", "content": "half', "not valid JSON"],
    ["[1]", "got an array"],
    ["null", "got null"],
    ['"words"', "got a string"],
    ["{} {}", "not valid JSON"],
  ])("arguments %s", async (json, why) => {
    const events = await say(...call("a", json), end("tool_use"));
    expect(types(events)).toEqual(["tool.start", "tool.broken", "finished"]);
    expect(events[1]).toMatchObject({ error: expect.stringContaining(why) });
    expect(last(events)).toMatchObject({ content: [{ input: { unparsed_arguments: json } }] });
  });

  test.each([
    ["tool_use", "tool.end"],
    ["end_turn", "tool.end"],
    ["max_tokens", "tool.broken"],
    ["stop_sequence", "tool.broken"],
    ["pause_turn", "tool.broken"],
  ] as const)("no arguments at all, where the answer stopped with %s: %s", async (stopReason, received) => {
    const events = await say({ type: "tool.start", id: "a", name: "x" }, end(stopReason));
    expect(types(events)).toEqual(["tool.start", received, "finished"]);
  });

  test("2,000 characters of broken arguments go back to the model, and no half of a character", async () => {
    const events = await say(...call("a", `${"x".repeat(1_999)}😀`), end("tool_use"));
    expect(last(events)).toMatchObject({ content: [{ input: { unparsed_arguments: "x".repeat(1_999) } }] });
  });

  test("a character that is split between two deltas arrives whole, also where a frame ends between them", async () => {
    const events = await say(text("a\ud83d"), text("\ude00b"), { type: "block.end" }, finished());
    expect(wordsOf(events)).toEqual({ 0: "a\u{1f600}b" });
    expect(types(events)).toEqual(["text.delta", "text.delta", "text.end", "finished"]);
  });

  test.each(["\ud83d", "\ude00", "a\ud83d", "\ude00\ud83d b"])(
    "half of a character becomes U+FFFD: %j",
    async (part) => {
      const whole = part.toWellFormed();
      const events = await say(text(part), { type: "block.end" }, finished());
      expect(wordsOf(events)).toEqual({ 0: whole });
      expect(last(events)).toMatchObject({ content: [{ type: "text", text: whole }] });
    },
  );

  test("the arguments of a call have no half of a character, in names, texts and lists", async () => {
    const json = '{"path":"\\ud83d","\\ude00":["\\ud83d",{"a":"\\ud83d\\ude00"}]}';
    const events = await say(...call("a", json), end("tool_use"));
    const input = { path: "\ufffd", "\ufffd": ["\ufffd", { a: "\u{1f600}" }] };
    expect(events).toContainEqual(expect.objectContaining({ type: "llm.tool.end", input }));
    expect(last(events)).toMatchObject({ content: [{ input }] });
  });

  test("L6: an id and a name are sent back in characters that the endpoint accepts", async () => {
    const events = await say(
      ...call("toolu 1/é", "{}", "re\ud83dad"),
      ...call("toolu_1__", "{}"),
      end("tool_use"),
    );
    expect(last(events)).toMatchObject({
      content: [
        { id: "toolu_1__", name: "re\ufffdad" },
        { id: "toolu_1___2", name: "write_to_file" },
      ],
    });
  });

  test("L6: thinking whose signature or data is not well-formed is not sent back", async () => {
    const events = await say(
      { type: "thinking.delta", text: "hm" },
      { type: "thinking.end", signature: "a\ud83d" },
      { type: "thinking.redacted", data: "\ude00" },
      text("done"),
      finished(),
    );
    expect(last(events)).toMatchObject({ content: [{ type: "text", text: "done" }] });
  });

  test("L11: a block that the journal cannot keep is a failure that may be retried", async () => {
    const block = { type: "hologram", depth: Number.POSITIVE_INFINITY };
    expect(last(await say({ type: "opaque", block }, text("done"), finished()))).toMatchObject({
      failure: { code: "bad_stream", retryable: true, message: expect.stringContaining("out of range") },
    });
  });

  test("the error of broken arguments quotes no half of a character", async () => {
    const events = await say(...call("a", "a\udc00b"), end("tool_use"));
    const error = events.flatMap((event) => (event.type === "llm.tool.broken" ? [event.error] : [])).join();
    expect(error).toContain("not valid JSON");
    expect(error.isWellFormed()).toBe(true);
  });

  test.each([
    ['{"path":[-1e999]}', "a number is out of range"],
    ['{"path":"a","more":{"__proto__":{"path":"b"}}}', "a field is named __proto__"],
    [`{"path":${"[".repeat(256)}${"]".repeat(256)}}`, "nested more than 256 levels deep"],
  ])("L7, L11: a call whose arguments the journal cannot keep is broken: %s", async (json, reason) => {
    const events = await say(...call("a", json), end("tool_use"));
    expect(events).toContainEqual(
      expect.objectContaining({ type: "llm.tool.broken", error: expect.stringContaining(reason) }),
    );
    expect(last(events)).toMatchObject({ content: [{ input: { unparsed_arguments: json } }] });
  });

  test("the end of a call is never sent when the stream is cut behind it", async () => {
    const events = await say(...call("a", '{"path":"a"}'));
    expect(types(events)).toEqual(["tool.start", "failed"]);
  });
});

describe("an invalid response", () => {
  test.each<[string, ModelEvent[]]>([
    ["nothing", []],
    ["blank text", [text("  ")]],
    [
      "thinking only",
      [
        { type: "thinking.delta", text: "hm" },
        { type: "thinking.end", signature: "s" },
      ],
    ],
  ])("%s: it fails with empty_answer and may be retried", async (_name, events) => {
    const end = last(await say(...events, finished()));
    expect(end).toMatchObject({ type: "llm.failed", failure: { code: "empty_answer", retryable: true } });
  });

  test("L4: without its end mark it fails with stream_cut and may be retried", async () => {
    const end = last(await say(text("half a sent")));
    expect(end).toMatchObject({ type: "llm.failed", failure: { code: "stream_cut", retryable: true } });
  });

  test("L14: one that passes the bound fails and says which", async () => {
    const model = saying([text("x".repeat(90)), text("x".repeat(20)), finished()]);
    const end = last(await attempt({ model, answerMaxChars: 100 }));
    expect(end).toMatchObject({
      failure: {
        code: "answer_too_large",
        retryable: false,
        message: expect.stringContaining("answerMaxChars"),
      },
    });
  });
});

describe("previews of a call", () => {
  const deltas = async (chunks: readonly string[], frameMs = 0) => {
    const model = {
      id: "test",
      async *stream(): AsyncGenerator<ModelEvent> {
        yield { type: "tool.start", id: "a", name: "write_to_file" };
        for (const json of chunks) {
          yield { type: "tool.delta", json };
          await new Promise((resolve) => setImmediate(resolve));
        }
        yield end("tool_use");
      },
    };
    // A clock whose frames are over at once: each piece is a frame of its own.
    const after = (_delayMs: number, fire: () => void) => {
      const turn = setImmediate(fire);
      return () => clearImmediate(turn);
    };
    const edge = {
      clock: { now: () => 0, after },
      random: () => 0,
      release: (start: () => void) => start(),
    };
    const events = await attempt({ model, frameMs, idleTimeoutMs: 1e9 }, edge);
    return events.filter((event) => event.type === "llm.tool.delta");
  };
  const previews = async (chunks: readonly string[], frameMs = 0) =>
    (await deltas(chunks, frameMs)).flatMap((event) => ("preview" in event ? [event.preview] : []));
  const pieces = (json: string, size: number): string[] =>
    Array.from({ length: Math.ceil(json.length / size) }, (_, n) => json.slice(n * size, (n + 1) * size));

  test("the first one has the whole path, never a part of it", async () => {
    const shown = await previews(pieces(JSON.stringify({ path: "src/deep/file.ts", content: "abc" }), 3));
    expect(shown.length).toBeGreaterThan(0);
    for (const preview of shown) expect(JSON.parse(preview)).toMatchObject({ path: "src/deep/file.ts" });
  });

  test("each is at least twice as long as the one before, and at most 8 KB", async () => {
    const shown = await previews(pieces(JSON.stringify({ path: "a", content: '"\n'.repeat(9_000) }), 50));
    const sizes = shown.map((preview) => preview.length);
    expect(sizes.length).toBeGreaterThan(3);
    sizes.slice(1).forEach((size, n) => void expect(size).toBeGreaterThanOrEqual(2 * (sizes[n] ?? 0)));
    expect(Math.max(...shown.map((preview) => Buffer.byteLength(preview)))).toBeLessThanOrEqual(8_192);
  });

  test("L17: arguments of 1 MB cost no more previews than arguments of 100 KB, and are parsed once", async () => {
    const cost = async (chars: number) => {
      const shown = await previews(pieces(JSON.stringify({ path: "a", content: "x".repeat(chars) }), 1_000));
      return shown.reduce((sum, preview) => sum + preview.length, 0);
    };
    expect(await cost(1_000_000)).toBe(await cost(100_000));
  });

  test("beyond the preview, the characters that were received are reported with each further 8 KB", async () => {
    const json = JSON.stringify({ path: "a", content: "x".repeat(100_000) });
    const received = (await deltas(pieces(json, 1_000))).flatMap((event) =>
      "received" in event ? [event.received] : [],
    );
    expect(received.length).toBeGreaterThan(5);
    received.forEach((size, n) => void expect(size).toBeGreaterThanOrEqual((received[n - 1] ?? 0) + 8_192));
    expect(received.at(-1)).toBeGreaterThan(json.length - 2 * 8_192);
  });

  test("a tool whose preview throws has none, and its call goes on", async () => {
    const tool = {
      ...writeTool,
      partial: () => {
        throw new Error("no");
      },
    };
    const model = saying([...call("a", '{"path":"a"}'), end("tool_use")]);
    expect(types(await attempt({ model, tools: [tool] }))).toEqual(["tool.start", "tool.end", "finished"]);
  });
});

const someText = fc.string({ unit: "grapheme", maxLength: 30 });
const block: fc.Arbitrary<ModelEvent[]> = fc.oneof(
  someText.map((words) => [text(words), { type: "block.end" } as const]),
  fc.tuple(someText, someText).map(([words, signature]) => [
    { type: "thinking.delta" as const, text: words },
    { type: "thinking.end" as const, signature },
  ]),
  fc
    .tuple(fc.uuid(), fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }))
    .map(([id, input]) => call(id, JSON.stringify(input))),
  fc.tuple(fc.uuid(), someText).map(([id, json]) => call(id, json)),
);

/** The same answer, its pieces cut elsewhere. */
function cutAgain(events: readonly ModelEvent[], sizes: readonly number[]): ModelEvent[] {
  let turn = 0;
  const cut = (whole: string): string[] => {
    const parts: string[] = [];
    for (let at = 0; at < whole.length; ) {
      const size = sizes[turn++ % sizes.length] ?? 1;
      parts.push(whole.slice(at, at + size));
      at += size;
    }
    return parts;
  };
  return events.flatMap((event): ModelEvent[] => {
    if (event.type === "tool.delta") return cut(event.json).map((json) => ({ type: "tool.delta", json }));
    if (event.type !== "text.delta" && event.type !== "thinking.delta") return [event];
    return cut(event.text).map((words) => ({ type: event.type, text: words }));
  });
}

const stopReasons = fc.constantFrom<StopReason>(
  "end_turn",
  "tool_use",
  "max_tokens",
  "stop_sequence",
  "pause_turn",
);

test.prop([
  fc.array(block, { maxLength: 6 }),
  stopReasons,
  fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
])(
  "any cutting of the same answer gives the same content, the same words and the same ends",
  async (blocks, stopReason, sizes) => {
    const whole = [...blocks.flat(), end(stopReason)];
    const one = await say(...whole);
    const other = await say(...cutAgain(whole, sizes));
    expect(wordsOf(other)).toEqual(wordsOf(one));
    const rest = (events: typeof one) =>
      events.filter(({ type }) => !/delta/.test(type)).map((event) => ({ ...event, at: 0, jitter: 0 }));
    expect(rest(other)).toEqual(rest(one));
    const final = last(one);
    if (final.type !== "llm.finished") return;
    const texts = final.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
    expect(texts).toEqual(
      whole.flatMap((e) => (e.type === "text.delta" && e.text.trim() !== "" ? [e.text] : [])),
    );
  },
);

const anyEvent: fc.Arbitrary<ModelEvent> = fc.oneof(
  someText.map(text),
  someText.map((words): ModelEvent => ({ type: "thinking.delta", text: words })),
  someText.map((signature): ModelEvent => ({ type: "thinking.end", signature })),
  someText.map((data): ModelEvent => ({ type: "thinking.redacted", data })),
  fc.constant<ModelEvent>({ type: "block.end" }),
  fc.constant<ModelEvent>({ type: "opaque", block: { type: "server_tool_use", id: "s" } }),
  fc
    .tuple(fc.constantFrom("a", "b", "c", ""), fc.constantFrom("write_to_file", "other", ""))
    .map(([id, name]): ModelEvent => ({ type: "tool.start", id, name })),
  fc
    .constantFrom("{}", "{", '{"path":"a"}', "", "]")
    .map((json): ModelEvent => ({ type: "tool.delta", json })),
  fc.nat(99).map((tokensIn): ModelEvent => ({ type: "usage", usage: { ...NO_USAGE, tokensIn } })),
  stopReasons.map(end),
);
const errors = fc.constantFrom(
  undefined,
  new ModelError("overloaded_error", "busy", { retryable: true }),
  "words",
);

test.prop([fc.array(anyEvent, { maxLength: 20 }), errors])(
  "any stream has exactly one terminal event, as the last, and one end per finished tool call",
  async (events, error) => {
    const received = await attempt({ model: saying(events, error) });
    expect(received.filter(({ type }) => type === "llm.finished" || type === "llm.failed")).toEqual([
      last(received),
    ]);
    const ids = (type: RegExp) =>
      received.flatMap((event) => (type.test(event.type) && "callId" in event ? [event.callId] : []));
    const ended = ids(/tool\.(end|broken)/);
    expect(new Set(ended).size).toBe(ended.length);
    const final = last(received);
    if (final.type !== "llm.finished") return;
    expect(ended).toEqual(ids(/tool\.start/));
    const uses = final.content.flatMap((part) => (part.type === "tool_use" ? [`42/${part.id}`] : []));
    expect(uses).toEqual(ended);
    const begun = received.flatMap((event) => ("index" in event ? [event.index] : []));
    expect([...new Set(begun)]).toEqual([...new Set(begun)].map((_, n) => n));
  },
);
