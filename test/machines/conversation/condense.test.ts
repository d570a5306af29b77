import { describe, expect, it } from "vitest";
import { condensed, keptFrom, truncated } from "../../../machines/conversation/condense.ts";
import { applyConversationEvent } from "../../../machines/conversation/conversation.ts";
import type { Entry } from "../../../machines/conversation/entry.ts";
import { estimateEntries } from "../../../machines/conversation/tokens.ts";
import { validateConversation } from "../../../machines/conversation/validate.ts";
import { PersistentList } from "../../../machines/list/list.ts";

/** An entry of this many tokens. */
function entry(role: "user" | "assistant", tokens: number): Entry {
  return { role, content: [{ type: "text", text: "x".repeat(3 * tokens - 48) }] };
}

/** A conversation that begins with the user, with entries of these tokens. */
const conversation = (...tokens: readonly number[]) =>
  PersistentList.from(tokens.map((count, at) => entry(at % 2 === 0 ? "user" : "assistant", count)));

const textsOf = (one: Entry | undefined): readonly string[] =>
  (one?.content ?? []).map((block) => (block.type === "text" ? block.text : block.type));

describe("a shorter conversation keeps everything", () => {
  it.each<[string, readonly number[], number, number | undefined]>([
    ["of one without entries", [], 1_000, undefined],
    ["of one with a first entry only", [100], 1_000, undefined],
    ["of one that ends with its first response", [100, 100], 1_000, undefined],
    ["of one with a single turn", [100, 100, 100], 1_000, undefined],
    ["from the second response, which is at the end", [100, 100, 100, 100], 1_000, 3],
    ["from the second response, however many tokens are kept", [100, 100, 100, 100, 100], 1_000_000, 3],
    ["from the last response where no token is kept", [100, 100, 100, 100, 100, 100, 100], 0, 5],
    [
      "from the last response where its turn is longer than what is kept",
      [20, 20, 20, 20, 20, 20, 900],
      99,
      5,
    ],
    [
      "from the last response where it is at the end and longer than what is kept",
      [20, 20, 20, 20, 20, 900],
      99,
      5,
    ],
    ["from a response whose turns have exactly as many tokens", [20, 20, 20, 20, 20, 20, 20], 80, 3],
    ["from the response after one whose turns have a token more", [20, 20, 20, 21, 20, 20, 20], 80, 5],
    ["not from an entry of the user, although it could be kept too", [20, 20, 20, 20, 20, 20, 20], 60, 5],
    ["from a response after a long first turn", [900, 900, 900, 20, 20], 40, 3],
    ["not from a response before a long turn", [20, 20, 20, 20, 20, 20, 900, 20, 20, 20, 20], 99, 7],
  ])("%s", (_, tokens, keepTokens, from) => {
    expect(keptFrom(conversation(...tokens), keepTokens)).toBe(from);
  });

  it("from a response of a long conversation", () => {
    const long = conversation(...Array.from({ length: 101 }, () => 20));
    expect(keptFrom(long, 20 * 20)).toBe(81);
    expect(keptFrom(long, 20 * 90)).toBe(11);
    expect(estimateEntries(long, 81)).toBe(400);
  });
});

describe("a condensed conversation", () => {
  const before = conversation(100, 100, 100, 100, 100);
  const event = condensed(before, 3, "The file was read.");

  it("begins with the summary, marked as text of a model, in an entry of the user", () => {
    expect(event).toEqual({
      type: "entries.replaced",
      count: 3,
      by: [{ role: "user", content: [{ type: "text", text: expect.any(String) }] }],
    });
    const [summary] = textsOf(event.by[0]);
    expect(summary).toMatch(/^\[automatic notice\] .*A model wrote it .*the user did not write it/);
    expect(summary).toMatch(/\n<conversation_summary>\nThe file was read\.\n<\/conversation_summary>$/);
  });

  it("goes on with the kept entries, and is valid (L6)", () => {
    const after = applyConversationEvent(before, event);
    expect(after.toArray(1)).toEqual(before.toArray(3));
    expect(validateConversation(after.toArray())).toEqual([]);
  });

  it.each(["<conversation_summary>", "</conversation_summary>", "</CONVERSATION_SUMMARY >"])(
    "has the element %s of a summary as text",
    (element) => {
      const [summary = ""] = textsOf(condensed(before, 3, `a ${element} b`).by[0]);
      expect(summary).toContain(`a <\\${element.slice(1)} b`);
      expect(summary.match(/<\/?conversation_summary/gi)).toHaveLength(2);
    },
  );
});

describe("a conversation without its oldest turns", () => {
  const before = conversation(100, 100, 100, 100, 100);
  const removed = truncated(before, 3);

  it("begins with the first entry and a notice of what is missing", () => {
    expect(removed).toMatchObject({ type: "entries.replaced", count: 3, by: [{ role: "user" }] });
    expect(removed.by).toHaveLength(1);
    const [first, notice, ...others] = textsOf(removed.by[0]);
    expect(first).toBe(textsOf(before.at(0))[0]);
    expect(notice).toMatch(/^\[automatic notice\] Messages after this one were removed/);
    expect(others).toEqual([]);
  });

  it("goes on with the kept entries, and is valid (L6)", () => {
    const after = applyConversationEvent(before, removed);
    expect(after.toArray(1)).toEqual(before.toArray(3));
    expect(validateConversation(after.toArray())).toEqual([]);
  });

  it("has the notice once, however often turns are removed", () => {
    const once = applyConversationEvent(before, removed);
    expect(truncated(once.append(entry("assistant", 100)), 3).by).toEqual(removed.by);
  });

  it("has the notice also where the first entry has other blocks, with other texts", () => {
    const image: Entry = {
      role: "user",
      content: [
        { type: "text", text: "[automatic notice] Messages" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      ],
    };
    const event = truncated(PersistentList.from([image, ...before.toArray(1)]), 3);
    expect(event.by[0]?.content).toEqual([...image.content, removed.by[0]?.content[1]]);
  });

  it("has the notice alone where it began with a response", () => {
    const headless = PersistentList.from(before.toArray(1));
    expect(truncated(headless, 2).by).toEqual([{ role: "user", content: [removed.by[0]?.content[1]] }]);
  });
});
