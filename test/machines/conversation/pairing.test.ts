import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { imageBlock, textBlock, userText } from "../../../machines/conversation/blocks.ts";
import type { AssistantBlock } from "../../../machines/conversation/entry.ts";
import { type CallOutcome, pairResults } from "../../../machines/conversation/pairing.ts";
import { validateConversation } from "../../../machines/conversation/validate.ts";
import { test } from "../../support/prop.ts";

const outcome: fc.Arbitrary<CallOutcome> = fc.record({
  kind: fc.constantFrom("done", "failed", "invalid", "denied", "skipped", "interrupted", "uncertain"),
  content: fc.array(
    fc.constantFrom("text", "", " \n").map((text) => textBlock(text)),
    { maxLength: 3 },
  ),
});
const response: fc.Arbitrary<AssistantBlock[]> = fc
  .uniqueArray(fc.nat(9), { minLength: 1, maxLength: 6 })
  .map((ids) => ids.map((id) => ({ type: "tool_use", id: `call-${id}`, name: "read_file", input: {} })));

describe("pairResults", () => {
  test.prop([response, fc.array(fc.tuple(fc.nat(9), outcome))])(
    "gives every call one result, in order, for any outcomes (L6)",
    (content, known) => {
      const outcomes = new Map(known.map(([id, outcome]) => [`call-${id}`, outcome]));
      const results = pairResults([textBlock("So:"), ...content], outcomes, "Missing.");
      const history = [
        { role: "user", content: [textBlock("go")] },
        { role: "assistant", content },
        { role: "user", content: results },
      ] as const;
      expect(validateConversation(history)).toEqual([]);
    },
  );

  const calls: AssistantBlock[] = [
    { type: "tool_use", id: "a", name: "read_file", input: {} },
    { type: "tool_use", id: "b", name: "read_file", input: {} },
  ];

  it("gives a call without an outcome an error", () => {
    const outcomes = new Map([["b", { kind: "done", content: [textBlock("B")] }]]);
    expect(pairResults(calls, outcomes, "Interrupted.")).toEqual([
      { type: "tool_result", tool_use_id: "a", content: [textBlock("Interrupted.")], is_error: true },
      { type: "tool_result", tool_use_id: "b", content: [textBlock("B")] },
    ]);
  });

  it.each([
    ["done", undefined],
    ["denied", undefined],
    ["failed", true],
    ["invalid", true],
    ["skipped", true],
    ["interrupted", true],
    ["uncertain", true],
  ])("sets is_error: %s %s", (kind, isError) => {
    const outcomes = new Map([["a", { kind, content: [textBlock("A")] }]]);
    expect(pairResults(calls.slice(0, 1), outcomes, "")[0]?.is_error).toBe(isError);
  });

  it("leaves out the outcome of another call", () => {
    expect(pairResults([textBlock("done")], new Map([["a", { kind: "done", content: [] }]]), "")).toEqual([]);
  });
});

describe("imageBlock", () => {
  it.each([
    ["data:image/png;base64,iVBORw0KGgo=", "image/png"],
    ["data:image/jpeg;base64,AAAA", "image/jpeg"],
    ["data:image/jpg;base64,AAAA", "image/jpeg"],
    ["data:image/gif;base64,AAAA", "image/gif"],
    ["data:image/webp;base64,AAAA", "image/webp"],
  ])("accepts %s", (url, mediaType) => {
    expect(imageBlock(url)).toEqual({
      type: "image",
      source: { type: "base64", media_type: mediaType, data: url.slice(url.indexOf(",") + 1) },
    });
  });

  it.each([
    "",
    "https://example.org/a.png",
    "https://example.org/data:image/png;base64,AAAA",
    "data:image/svg+xml;base64,AAAA",
    "data:text/plain;base64,AAAA",
    "data:image/png,AAAA",
    "data:image/png;base64,",
    "data:image/png;base64,<script>",
    "data:image/png;base64,AAAA<script>",
    "data:__proto__/x;base64,AAAA",
  ])("rejects %j", (url) => {
    expect(imageBlock(url)).toBeUndefined();
  });
});

describe("userText", () => {
  it("marks text of the user", () => {
    expect(userText("Hello")).toEqual({ type: "text", text: "<user_message>\nHello\n</user_message>" });
  });
});
