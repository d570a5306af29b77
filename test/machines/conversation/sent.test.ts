import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Conversation } from "../../../machines/conversation/conversation.ts";
import type {
  AssistantBlock,
  Entry,
  OpaqueBlock,
  ResponseModel,
} from "../../../machines/conversation/entry.ts";
import { leftOutOf, sentConversation } from "../../../machines/conversation/sent.ts";
import { type ConversationViolation, validateConversation } from "../../../machines/conversation/validate.ts";
import { PersistentList } from "../../../machines/list/list.ts";
import { test } from "../../support/prop.ts";
import { validHistory } from "./arbitraries.ts";

const MINE: ResponseModel = { provider: "anthropic", id: "one" };
const OTHER: ResponseModel = { provider: "anthropic", id: "two" };
const OTHER_PROVIDER: ResponseModel = { ...MINE, provider: "proxy" };

const text = (words: string): AssistantBlock => ({ type: "text", text: words });
const call = (id: string): AssistantBlock => ({ type: "tool_use", id, name: "read_file", input: {} });
const thinking: AssistantBlock = { type: "thinking", thinking: "hm", signature: "s" };
const use = (id: string): OpaqueBlock => ({ type: "opaque", block: { type: "server_tool_use", id } });
const result = (id: string): OpaqueBlock => ({
  type: "opaque",
  block: { type: "web_search_tool_result", tool_use_id: id },
});
const note: OpaqueBlock = { type: "opaque", block: { type: "compaction", content: "c" } };
/** Blocks that resemble a server tool's use or result. */
const NO_SERVER_TOOLS: readonly (readonly [string, OpaqueBlock["block"]])[] = [
  ["of another type with an id", { type: "container_upload", id: "a" }],
  ["of another type that names a use", { type: "use_result_note", tool_use_id: "a" }],
  ["that is a use without an id", { type: "server_tool_use" }],
  ["that is a use with an id that is no text", { type: "server_tool_use", id: 1 }],
  ["that is a result without the id of its use", { type: "web_search_tool_result" }],
  ["that is a result with an id that is no text", { type: "web_search_tool_result", tool_use_id: 1 }],
];
const redacted: AssistantBlock = { type: "redacted_thinking", data: "d" };
const cited: AssistantBlock = Object.assign(text("x"), { citations: [{ cited_text: "x" }] });
const called: AssistantBlock = Object.assign(call("c"), { caller: { type: "direct" } });
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
    const entries = [prompt, response([thinking, use("a"), result("a"), note, cited, called]), resultOf("c")];
    expect(contentAt(1, entries, OTHER)).toEqual([text("x"), call("c")]);
    expect(leftOutOf(PersistentList.from(entries), OTHER)).toBe(4);
  });

  it.each([
    ["a text", cited, text("x")],
    ["a tool call", called, call("c")],
  ])("has %s with its other fields for its own model only", (_name, block, portable) => {
    const entries = [prompt, response([block]), prompt];
    expect(contentAt(1, entries)).toEqual([block]);
    expect(contentAt(1, entries, OTHER)).toEqual([portable]);
    expect(leftOutOf(PersistentList.from(entries), OTHER)).toBe(0);
  });

  it.each([
    ["texts", [text("x")]],
    ["tool calls", [call("c")]],
  ])("is the same object for another model where the responses have only %s", (_name, content) => {
    const conversation = PersistentList.of(prompt, response(content), prompt);
    expect(sentConversation(conversation, OTHER)).toBe(conversation);
  });

  it("has no thinking of a model with the same id at another provider", () => {
    expect(contentAt(1, [prompt, response([thinking, text("x")]), prompt], OTHER_PROVIDER)).toEqual([
      text("x"),
    ]);
  });

  it("has all blocks where the model of the request is unknown", () => {
    const conversation = PersistentList.of(prompt, response([thinking, note, text("x")]), prompt);
    expect(sentConversation(conversation, undefined)).toBe(conversation);
  });

  it.each([33, 65, 131])("leaves out blocks at position %i of a long conversation", (position) => {
    const entries = Array.from({ length: 140 }, (_, at) => (at % 2 === 0 ? prompt : response([text("x")])));
    entries[position] = response([text("y"), use("a")]);
    const conversation = PersistentList.from(entries);
    const sent = sentConversation(conversation, MINE);
    expect(sent.toArray()).toEqual(entries.with(position, response([text("y")])));
    expect(leftOutOf(conversation, MINE)).toBe(1);
  });

  it("has all blocks of a response whose model is unknown, as in older journals", () => {
    const unknown: Entry = { role: "assistant", content: [thinking, note, text("x")] };
    const entries = [prompt, unknown, prompt];
    expect(contentAt(1, entries, OTHER)).toHaveLength(3);
  });

  it("has a notice in place of a response that would be empty", () => {
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
    [
      "without a result, and redacted thinking before it",
      [prompt, response([text("x"), redacted, use("a")]), prompt],
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
    ["of a paused turn, beside a tool call", [prompt, response([use("a"), call("c")])]],
    ["beside a tool call", [prompt, response([use("a"), call("c")]), resultOf("c")]],
    [
      "whose result the next response has",
      [prompt, response([use("a"), call("c")]), resultOf("c"), response([result("a"), text("y")]), prompt],
    ],
  ])("keeps the use of a server tool %s", (_name, entries) => {
    expect(contentAt(1, entries)).toContainEqual(use("a"));
  });

  it("keeps a server tool across the first two responses, also where no prompt precedes them", () => {
    const entries = [
      response([use("a"), call("c")]),
      resultOf("c"),
      response([result("a"), text("y")]),
      prompt,
    ];
    const conversation = PersistentList.from(entries);
    expect(sentConversation(conversation, MINE)).toBe(conversation);
  });

  it.each(NO_SERVER_TOOLS)("keeps a block %s", (_name, block) => {
    const conversation = PersistentList.of(
      prompt,
      response([text("x"), { type: "opaque", block }, text("y")]),
      prompt,
    );
    expect(sentConversation(conversation, MINE)).toBe(conversation);
  });

  it("leaves out a server tool whose other half is a response of another model", () => {
    const foreign = (content: readonly AssistantBlock[]): Entry => ({
      role: "assistant",
      content,
      model: OTHER,
    });
    const [asks, answers] = [
      [use("a"), call("c")],
      [result("a"), text("y")],
    ];
    expect(contentAt(1, [prompt, response(asks), resultOf("c"), foreign(answers), prompt])).toEqual([
      call("c"),
    ]);
    expect(contentAt(3, [prompt, foreign(asks), resultOf("c"), response(answers), prompt])).toEqual([
      text("y"),
    ]);
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

describe("the sent form of one and the same response follows a change of", () => {
  const [asks, answers] = [response([use("a"), call("c")]), response([result("a"), text("y")])];
  const [asksNothing, answersNothing] = [response([call("c")]), response([text("y")])];

  it("the model", () => {
    const entries = [prompt, response([thinking, text("x")]), prompt];
    expect(contentAt(1, entries)).toHaveLength(2);
    expect(contentAt(1, entries, OTHER)).toHaveLength(1);
    expect(contentAt(1, entries)).toHaveLength(2);
  });

  it("the response before it", () => {
    expect(contentAt(3, [prompt, asks, resultOf("c"), answers, prompt])).toEqual(answers.content);
    expect(contentAt(3, [prompt, asksNothing, resultOf("c"), answers, prompt])).toEqual([text("y")]);
  });

  it("the response after it", () => {
    expect(contentAt(1, [prompt, asks, resultOf("c"), answers, prompt])).toEqual(asks.content);
    expect(contentAt(1, [prompt, asks, resultOf("c"), answersNothing, prompt])).toEqual([call("c")]);
  });

  it("what may still follow: a paused turn that does not go on gets no result", () => {
    const paused = response([text("x"), use("a")]);
    expect(contentAt(1, [prompt, paused])).toEqual(paused.content);
    expect(contentAt(1, [prompt, paused, prompt])).toEqual([text("x")]);
  });
});

describe("a server tool in a conversation is invalid (L6)", () => {
  const NO_RESULT = "The server tool a has no result.";
  const calls = response([use("a"), call("c")]);

  it.each<[string, readonly Entry[], Partial<ConversationViolation>]>([
    [
      "without its result",
      [prompt, response([text("x"), use("a")]), prompt],
      { entry: 2, message: NO_RESULT },
    ],
    [
      "without its result in the response after the tool calls beside it",
      [prompt, calls, resultOf("c"), response([text("x")]), prompt],
      { entry: 3, message: NO_RESULT },
    ],
    [
      "without its use",
      [prompt, response([result("a"), text("x")]), prompt],
      { entry: 1, block: 0, message: "The result of the server tool a has no use before it." },
    ],
  ])("%s", (_name, entries, violation) => {
    expect(validateConversation(entries)).toEqual([{ fault: "unpaired_server_tool", ...violation }]);
  });

  it("but not while its turn is paused", () => {
    const paused = [prompt, response([text("x"), use("a")])];
    expect(validateConversation(paused, { mayEndWithAssistant: true })).toEqual([]);
  });

  it.each(NO_SERVER_TOOLS)("and a block %s is none", (_name, block) => {
    const entries = [prompt, response([{ type: "opaque", block }, text("x")]), prompt];
    expect(validateConversation(entries)).toEqual([]);
  });
});
