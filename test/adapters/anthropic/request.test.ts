import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { bodyOf } from "../../../adapters/anthropic/request.ts";
import type { Entry, UserBlock } from "../../../machines/conversation/entry.ts";

const options = { model: "m", maxTokens: 100 };
const user = (...content: UserBlock[]): Entry => ({ role: "user", content });
const text = (value: string) => ({ type: "text", text: value }) as const;
const tool = { name: "t", description: "d", input_schema: { properties: {} } };
const ask = (messages: readonly Entry[], more = {}): MessageCreateParamsStreaming =>
  JSON.parse(bodyOf({ system: [], tools: [], messages, ...more }, options));

const marksIn = (value: unknown): number => JSON.stringify(value).split('"cache_control"').length - 1;

describe("a cache mark is set on", () => {
  test("the last part of the system prompt and the last tool", () => {
    const { system, tools } = ask([user(text("hi"))], { system: ["a", "b"], tools: [tool, tool] });
    expect(system).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "b", cache_control: { type: "ephemeral" } },
    ]);
    expect(tools?.map(marksIn)).toEqual([0, 1]);
  });

  test("the last block of the last two user messages, of any type", () => {
    const { messages } = ask([
      user(text("1")),
      { role: "assistant", content: [text("a")] },
      user({ type: "tool_result", tool_use_id: "x", content: [text("r")] }),
      { role: "assistant", content: [text("b")] },
      user(text("2"), text("3")),
    ]);
    expect(messages.map(marksIn)).toEqual([0, 0, 1, 0, 1]);
    expect(messages[4]?.content).toEqual([text("2"), { ...text("3"), cache_control: { type: "ephemeral" } }]);
  });
});

test("empty text is not sent, and the remaining blocks are marked", () => {
  const { messages } = ask([user(text("hi"), text(""))], { system: [" "] });
  expect(messages[0]?.content).toEqual([{ ...text("hi"), cache_control: { type: "ephemeral" } }]);
  expect(ask([user(text("hi"))], { system: [" "] })).not.toHaveProperty("system");
});

test("a paused response is sent without whitespace at its end, which the endpoint rejects", () => {
  const paused: Entry = { role: "assistant", content: [text("I look. "), text("Not yet \n")] };
  expect(ask([user(text("hi")), paused]).messages[1]?.content).toEqual([text("I look. "), text("Not yet")]);
  const { messages } = ask([user(text("hi")), paused, user(text("go on"))]);
  expect(messages[1]?.content).toEqual(paused.content);
});

test("images, tool errors and thinking are sent unchanged", () => {
  const source = { type: "base64", media_type: "image/png", data: "AAAA" } as const;
  const thinking = { type: "thinking", thinking: "t", signature: "s" } as const;
  const use = { type: "tool_use", id: "x", name: "t", input: { a: 1 } } as const;
  const redacted = { type: "redacted_thinking", data: "d" } as const;
  const { messages } = ask([
    { role: "assistant", content: [thinking, redacted, use] },
    user({
      type: "tool_result",
      tool_use_id: "x",
      is_error: true,
      content: [text(""), { type: "image", source }],
    }),
  ]);
  expect(messages[0]?.content).toEqual([thinking, redacted, use]);
  expect(messages[1]?.content).toMatchObject([
    { type: "tool_result", tool_use_id: "x", is_error: true, content: [{ type: "image", source }] },
  ]);
});

test.each([
  [{ budgetTokens: 2_000 }, { type: "enabled", budget_tokens: 2_000 }],
  ["adaptive", { type: "adaptive" }],
  ["disabled", { type: "disabled" }],
] as const)("thinking %j is sent as %j", (thinking, asked) => {
  const body = bodyOf({ system: [], tools: [], messages: [] }, { ...options, thinking, effort: "high" });
  expect(JSON.parse(body)).toMatchObject({
    thinking: asked,
    output_config: { effort: "high" },
    stream: true,
    max_tokens: 100,
  });
});

const someBlock: fc.Arbitrary<UserBlock> = fc.oneof(
  fc.string().map(text),
  fc.string().map((id): UserBlock => ({ type: "tool_result", tool_use_id: id, content: [] })),
);
const someEntry: fc.Arbitrary<Entry> = fc.oneof(
  fc.array(someBlock).map((content) => user(...content)),
  fc.string().map((value): Entry => ({ role: "assistant", content: [text(value)] })),
  fc
    .string()
    .map(
      (thinking): Entry => ({ role: "assistant", content: [{ type: "thinking", thinking, signature: "s" }] }),
    ),
);

test.prop([fc.array(someEntry), fc.array(fc.string()), fc.nat(3)])(
  "any request has at most four marks, and none on responses of the model or empty text",
  (messages, system, tools) => {
    const body = ask(messages, { system, tools: Array.from({ length: tools }, () => tool) });
    expect(marksIn(body)).toBeLessThanOrEqual(4);
    for (const { role, content } of body.messages) {
      if (role === "assistant") expect(marksIn(content)).toBe(0);
      else for (const block of content) expect(block).not.toMatchObject({ type: "text", text: "" });
    }
  },
);
