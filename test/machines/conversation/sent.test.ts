import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AssistantBlock,
  type Conversation,
  type Entry,
  leftOutOf,
  type OpaqueBlock,
  type ResponseModel,
  sentConversation,
  validateConversation,
} from "../../../machines/conversation/index.ts";
import { PersistentList } from "../../../machines/list/index.ts";
import { test } from "../../support/prop.ts";
import { validHistory } from "./arbitraries.ts";

const MINE: ResponseModel = { provider: "anthropic", id: "one" };
const OTHER: ResponseModel = { provider: "anthropic", id: "two" };

const text = (words: string): AssistantBlock => ({ type: "text", text: words });
const call = (id: string): AssistantBlock => ({ type: "tool_use", id, name: "read_file", input: {} });
const thinking: AssistantBlock = { type: "thinking", thinking: "hm", signature: "s" };
const use = (id: string): OpaqueBlock => ({ type: "opaque", block: { type: "server_tool_use", id } });
const result = (id: string): OpaqueBlock => ({
  type: "opaque",
  block: { type: "web_search_tool_result", tool_use_id: id },
});
const note: OpaqueBlock = { type: "opaque", block: { type: "compaction", content: "c" } };
const prompt: Entry = { role: "user", content: [{ type: "text", text: "go" }] };
const resultOf = (id: string): Entry => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: "ok" }] }],
});
const response = (content: readonly AssistantBlock[]): Entry => ({
  role: "assistant",
  content,
  model: MINE,
});

/** What the model of these responses, or another one, gets as the content of the entry at `at`. */
function contentAt(at: number, entries: readonly Entry[], model = MINE): readonly unknown[] {
  return sentConversation(PersistentList.from(entries), model).at(at)?.content ?? [];
}

describe("the conversation that is sent", () => {
  it("is the same object where nothing is left out", () => {
    const conversation = PersistentList.of(
      prompt,
      response([thinking, use("a"), result("a"), note, text("x")]),
      prompt,
    );
    expect(sentConversation(conversation, MINE)).toBe(conversation);
    expect(leftOutOf(conversation, MINE)).toBe(0);
  });

  it("has of another model's responses only texts and tool calls, without their other fields", () => {
    const cited = { ...text("x"), citations: [{ cited_text: "x" }] };
    const called = { ...call("c"), caller: { type: "direct" } };
    const entries = [prompt, response([thinking, use("a"), result("a"), note, cited, called]), resultOf("c")];
    expect(contentAt(1, entries, OTHER)).toEqual([text("x"), call("c")]);
    expect(leftOutOf(PersistentList.from(entries), OTHER)).toBe(4);
  });

  it("has all blocks of a response whose model is unknown, as in older journals", () => {
    const unknown: Entry = { role: "assistant", content: [thinking, note, text("x")] };
    const entries = [prompt, unknown, prompt];
    expect(contentAt(1, entries, OTHER)).toHaveLength(3);
  });

  it("has a notice in place of a response of which nothing is left", () => {
    const entries = [prompt, response([thinking, note]), prompt];
    expect(contentAt(1, entries, OTHER)).toEqual([text(expect.stringContaining("can't be sent again"))]);
  });

  it.each<[string, readonly Entry[], readonly AssistantBlock[]]>([
    ["without a result", [prompt, response([text("x"), use("a")]), prompt], [text("x")]],
    [
      "without a result, and thinking before it",
      [prompt, response([text("x"), thinking, use("a")]), prompt],
      [text("x")],
    ],
    ["without a use", [prompt, response([text("x"), result("a")]), prompt], [text("x")]],
    [
      "with its result before its use",
      [prompt, response([result("a"), text("x"), use("a")]), prompt],
      [text("x")],
    ],
    [
      "whose use is repeated",
      [prompt, response([use("a"), use("a"), result("a"), text("x")]), prompt],
      [use("a"), result("a"), text("x")],
    ],
    [
      "that a later response without tool calls between has",
      [prompt, response([text("x"), use("a")]), prompt, response([result("a"), text("y")]), prompt],
      [text("x")],
    ],
  ])("leaves out a server tool %s", (_name, entries, expected) => {
    expect(contentAt(1, entries)).toEqual(expected);
  });

  it.each<[string, readonly Entry[]]>([
    ["of a paused turn", [prompt, response([text("x"), use("a")])]],
    ["beside a tool call", [prompt, response([use("a"), call("c")]), resultOf("c")]],
    [
      "whose result the next response has",
      [prompt, response([use("a"), call("c")]), resultOf("c"), response([result("a"), text("y")]), prompt],
    ],
  ])("keeps the use of a server tool %s", (_name, entries) => {
    expect(contentAt(1, entries)).toContainEqual(use("a"));
  });

  const opaque = fc.oneof(
    fc.constantFrom("a", "b", "c").map(use),
    fc.constantFrom("a", "b", "c").map(result),
    fc.constant(note),
  );
  const inserted = fc.array(fc.tuple(fc.nat(), fc.nat(), opaque, fc.boolean()), { maxLength: 8 });

  /** The conversation with opaque blocks at any place of its responses. */
  function withOpaque(
    history: readonly Entry[],
    blocks: readonly [number, number, OpaqueBlock, boolean][],
  ): Conversation {
    const entries = [...history];
    for (const [entryAt, blockAt, block, isForeign] of blocks) {
      const at = (entryAt % entries.length) | 1;
      const entry = entries[at];
      if (entry?.role !== "assistant") continue;
      const content = entry.content.toSpliced(blockAt % (entry.content.length + 1), 0, block);
      entries[at] = { ...entry, content, model: isForeign ? OTHER : MINE };
    }
    return PersistentList.from(entries);
  }

  test.prop([validHistory, inserted])("is valid, whatever responses contained (L6)", (history, blocks) => {
    const conversation = withOpaque(history, blocks);
    expect(validateConversation(sentConversation(conversation, MINE))).toEqual([]);
    expect(sentConversation(conversation, MINE).length).toBe(conversation.length);
  });

  test.prop([validHistory, inserted])(
    "is formatted once: equal entries are the same object",
    (history, blocks) => {
      const conversation = withOpaque(history, blocks);
      const [first, second] = [sentConversation(conversation, MINE), sentConversation(conversation, MINE)];
      expect(first.toArray().every((entry, at) => entry === second.at(at))).toBe(true);
    },
  );
});

describe("a server tool in a conversation is invalid (L6)", () => {
  const faultsOf = (...entries: readonly Entry[]) =>
    validateConversation(entries).map(({ fault, entry }) => [fault, entry]);

  it("without its result", () => {
    expect(faultsOf(prompt, response([text("x"), use("a")]), prompt)).toEqual([["unpaired_server_tool", 2]]);
    expect(
      faultsOf(prompt, response([use("a"), call("c")]), resultOf("c"), response([text("x")]), prompt),
    ).toEqual([["unpaired_server_tool", 3]]);
  });

  it("without its use", () => {
    expect(faultsOf(prompt, response([result("a"), text("x")]), prompt)).toEqual([
      ["unpaired_server_tool", 1],
    ]);
  });
});
