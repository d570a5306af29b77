import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { emptyConversation } from "../../../machines/conversation/conversation.ts";
import { assertConversation, ConversationError } from "../../../machines/conversation/conversation-error.ts";
import type { AssistantBlock, Entry, ImageBlock, UserBlock } from "../../../machines/conversation/entry.ts";
import { type ConversationFault, validateConversation } from "../../../machines/conversation/validate.ts";
import { test } from "../../support/prop.ts";
import { historyWithCalls, validHistory } from "./arbitraries.ts";

const user = (...content: UserBlock[]): Entry => ({ role: "user", content });
const assistant = (...content: AssistantBlock[]): Entry => ({ role: "assistant", content });
const text = (text: string) => ({ type: "text", text }) as const;
const call = (id: string): AssistantBlock => ({ type: "tool_use", id, name: "read_file", input: {} });
const result = (id: string, output = "ok"): UserBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content: [text(output)],
});
const faults = (history: Iterable<Entry>): ConversationFault[] =>
  validateConversation(history).map(({ fault }) => fault);

/** Change the content of the entry at `at`. */
const changed = (
  history: readonly Entry[],
  at: number,
  to: (content: Entry["content"]) => readonly unknown[],
) =>
  history.map((entry, index) => (index === at ? ({ ...entry, content: to(entry.content) } as Entry) : entry));

describe("validateConversation", () => {
  test.prop([validHistory])("finds no fault in a valid conversation (L6)", (history) => {
    expect(validateConversation(history)).toEqual([]);
    expect(validateConversation(new Set(history))).toEqual([]);
    expect(
      validateConversation(history.reduce((all, entry) => all.append(entry), emptyConversation)),
    ).toEqual([]);
  });

  it("finds no fault in an image of a result, and names what is not a block", () => {
    const image: ImageBlock = {
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "AAAA" },
    };
    const withImage: UserBlock = { type: "tool_result", tool_use_id: "a", content: [image] };
    expect(faults([user(text("go")), assistant(call("a")), user(withImage)])).toEqual([]);
    for (const entries of [[user(text("go"))], [user(text("go")), assistant(text("so"))]]) {
      const found = validateConversation(changed(entries, entries.length - 1, () => [null]));
      expect(found[0]).toMatchObject({ fault: "foreign_block" });
      expect(found[0]?.message).toContain("A value that is not a block");
    }
  });

  describe("finds each seeded corruption in any valid conversation, with its entry (L6)", () => {
    type Corruption = readonly [
      fault: ConversationFault,
      how: string,
      calls: number,
      offset: 0 | 1,
      to: (content: Entry["content"]) => readonly unknown[],
    ];
    const thinking = (signature: string) => ({ type: "thinking", thinking: "so", signature });
    const redacted = { type: "redacted_thinking", data: "" };
    const corruptions: readonly Corruption[] = [
      [
        "missing_result",
        "all results left out",
        1,
        1,
        (all) => all.filter(({ type }) => type !== "tool_result"),
      ],
      ["missing_result", "the first result left out", 2, 1, (all) => all.slice(1)],
      ["orphan_result", "the calls left out", 1, 0, (all) => all.filter(({ type }) => type !== "tool_use")],
      ["orphan_result", "a result without a call", 1, 1, (all) => [result("call-unknown"), ...all]],
      ["duplicate_result", "a repeated result", 1, 1, (all) => [all[0], ...all]],
      ["results_out_of_order", "two results exchanged", 2, 1, ([a, b, ...rest]) => [b, a, ...rest]],
      ["results_not_first", "text before the results", 1, 1, (all) => [text("text"), ...all]],
      ["duplicate_call", "a repeated call", 1, 0, (all) => [...all, all.at(-1)]],
      ["empty_text", "an empty text of the model", 1, 0, (all) => [text(""), ...all]],
      ["empty_text", "white space of the model", 1, 0, (all) => [text(" \n"), ...all]],
      ["empty_text", "white space of the user", 1, 1, (all) => [...all, text("\t")]],
      [
        "empty_text",
        "an empty text in a result",
        1,
        1,
        ([a, ...rest]) => [{ ...a, content: [text("")] }, ...rest],
      ],
      ["empty_result", "a result without blocks", 1, 1, ([a, ...rest]) => [{ ...a, content: [] }, ...rest]],
      ["empty_entry", "an entry without blocks", 1, 0, () => []],
      ["unsigned_thinking", "thinking without its signature", 1, 0, (all) => [thinking(""), ...all]],
      ["unsigned_thinking", "redacted thinking without its data", 1, 0, (all) => [redacted, ...all]],
      ["thinking_last", "thinking at the end", 1, 0, (all) => [...all, thinking("s")]],
      ["foreign_block", "a result from the model", 1, 0, (all) => [result("x"), ...all]],
      ["foreign_block", "a call from the user", 1, 1, (all) => [...all, call("x")]],
    ];
    for (const [fault, how, calls, offset, to] of corruptions) {
      test.prop([historyWithCalls(calls)], { numRuns: 40 })(`${fault}: ${how}`, ({ history, at }) => {
        const found = validateConversation(changed(history, at + offset, to)).filter(
          (one) => one.fault === fault,
        );
        expect(found).not.toEqual([]);
        for (const { entry } of found) expect([at, at + 1]).toContain(entry);
      });
    }

    test.prop([validHistory, fc.nat()])("roles_not_alternating: a repeated entry", (history, seed) => {
      const at = seed % history.length;
      expect(faults(history.toSpliced(at, 0, history[at] as Entry))).toContain("roles_not_alternating");
    });

    test.prop([historyWithCalls(1)])("first_not_user: the beginning is missing", ({ history }) => {
      expect(validateConversation(history.slice(1))[0]).toMatchObject({ fault: "first_not_user", entry: 0 });
    });

    test.prop([validHistory.filter(({ length }) => length > 1)])(
      "last_not_user: the end is missing",
      (history) => {
        expect(faults(history.slice(0, -1))).toContain("last_not_user");
      },
    );
  });

  it("accepts a paused turn as an option, and still requires the results of its calls", () => {
    const paused = [user(text("go")), assistant(text("wait"))];
    expect(faults(paused)).toEqual(["last_not_user"]);
    expect(validateConversation(paused, { mayEndWithAssistant: true })).toEqual([]);
    expect(
      validateConversation([user(text("go")), assistant(call("a"))], { mayEndWithAssistant: true }),
    ).toMatchObject([{ fault: "missing_result", entry: 1 }]);
  });

  it("reports the entry and the block", () => {
    const history = [
      user(text("go")),
      assistant(call("a"), call("b")),
      user(result("b"), text("x"), result("a")),
    ];
    expect(validateConversation(history)).toEqual([
      {
        fault: "results_not_first",
        entry: 2,
        block: 2,
        message: "The result of a is after other blocks.",
      },
      {
        fault: "results_out_of_order",
        entry: 2,
        message: "The results are not in the order of their tool calls.",
      },
    ]);
  });

  it("reads a valid entry once, after the same entry, however long the conversation grows", () => {
    const content = [text("so")];
    const reads = vi.spyOn(content, "forEach");
    const begin = () => [user(text("go")), assistant(text("hm"))];
    const history: readonly Entry[] = [...begin(), { role: "user", content }];
    validateConversation(history);
    const times = reads.mock.calls.length;
    expect(times).toBeGreaterThan(0);
    validateConversation([...history, assistant(text("yes")), user(text("on"))]);
    expect(reads).toHaveBeenCalledTimes(times);
    validateConversation([...begin(), ...history.slice(2)]);
    expect(reads).toHaveBeenCalledTimes(2 * times);
  });

  it("rejects an empty conversation", () => {
    expect(faults([])).toEqual(["no_entries"]);
  });
});

describe("assertConversation", () => {
  it("accepts a valid conversation", () => {
    expect(() => assertConversation([user(text("go"))])).not.toThrow();
  });

  it("throws INVALID_HISTORY with every violation and its position", () => {
    const history = [user(text("")), assistant(call("a")), user(text("text"))];
    const thrown = (() => {
      try {
        return assertConversation(history);
      } catch (error) {
        return error;
      }
    })();
    expect(thrown).toBeInstanceOf(ConversationError);
    expect(thrown).toMatchObject({ code: "INVALID_HISTORY", violations: validateConversation(history) });
    expect(String(thrown)).toContain("entry 0, block 0: The text is empty. (empty_text)");
    expect(String(thrown)).toContain(
      "entry 2: The tool call a has no result in the next user entry. (missing_result)",
    );
  });

  it("lists ten violations and counts the others", () => {
    const history = Array.from({ length: 12 }, () => user(text("")));
    expect(() => assertConversation(history)).toThrow(/- and 13 more/);
  });
});
