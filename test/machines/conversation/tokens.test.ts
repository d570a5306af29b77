import { describe, expect, it } from "vitest";
import type {
  AssistantBlock,
  Entry,
  ImageBlock,
  TextBlock,
  UserBlock,
} from "../../../machines/conversation/entry.ts";
import { estimateEntries, estimateTokens } from "../../../machines/conversation/tokens.ts";
import { PersistentList } from "../../../machines/list/list.ts";

const text = (length: number): TextBlock => ({ type: "text", text: "x".repeat(length) });
const image: ImageBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "A".repeat(3_000_000) },
};
const result = (...content: readonly (TextBlock | ImageBlock)[]): UserBlock => ({
  type: "tool_result",
  tool_use_id: "t1",
  content,
});
const call: AssistantBlock = { type: "tool_use", id: "t1", name: "read_file", input: { path: "a.ts" } };
const thinking: AssistantBlock = { type: "thinking", thinking: "hm", signature: "s".repeat(300) };
const opaque: AssistantBlock = {
  type: "opaque",
  block: { type: "web_search_tool_result", tool_use_id: "a" },
};
const jsonTokens = (block: AssistantBlock): number => Math.ceil((48 + JSON.stringify(block).length) / 3);

describe("the estimate of an entry's tokens", () => {
  it.each<[string, readonly (UserBlock | AssistantBlock)[], number]>([
    ["no block: those of its frame", [], 8],
    ["a text: a third of its characters", [text(300)], 116],
    ["a text of which a token begins", [text(301)], 117],
    ["two texts", [text(300), text(300)], 224],
    ["an image: those of the largest one, whatever the length of its data", [image], 1_608],
    ["two images and a text", [image, text(300), image], 3_316],
    ["a result with a text", [result(text(300))], 116],
    ["a result with two texts", [result(text(300), text(300))], 224],
    ["a result with an image", [result(image)], 1_608],
    ["a result with a text and two images", [result(image, text(300), image)], 3_316],
    ["two results", [result(text(300)), result(image)], 1_716],
    ["a result without content", [result()], 8],
    ["a tool call: those of its JSON", [call], jsonTokens(call)],
    ["thinking, with its signature", [thinking], jsonTokens(thinking)],
    ["a block that only its model understands", [opaque], jsonTokens(opaque)],
  ])("counts of %s", (_, content, tokens) => {
    expect(estimateTokens(content)).toBe(tokens);
  });
});

describe("the estimate of a conversation's tokens", () => {
  const entries: readonly Entry[] = Array.from({ length: 70 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: [text(300 * at)],
  }));
  const conversation = PersistentList.from(entries);
  const sum = (start: number, end: number): number =>
    entries.slice(start, end).reduce((tokens, { content }) => tokens + estimateTokens(content), 0);

  it.each([
    [0, 70],
    [0, 1],
    [1, 3],
    [30, 66],
    [69, 70],
    [5, 5],
  ])("counts the entries from %i up to %i", (start, end) => {
    expect(estimateEntries(conversation, start, end)).toBe(sum(start, end));
  });

  it("counts up to the end by default, and nothing behind it", () => {
    expect(estimateEntries(conversation, 60)).toBe(sum(60, 70));
    expect(estimateEntries(conversation, 68, 80)).toBe(sum(68, 70));
  });

  it("counts the blocks of a changed entry", () => {
    const changed = conversation.set(69, { role: "assistant", content: [text(3)] });
    expect(estimateEntries(changed, 69)).toBe(17);
    expect(estimateEntries(conversation, 69)).toBe(sum(69, 70));
  });
});
