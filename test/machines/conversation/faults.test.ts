import { describe, expect, it } from "vitest";
import { assertConversation } from "../../../machines/conversation/conversation-error.ts";
import type { AssistantBlock, Entry, UserBlock } from "../../../machines/conversation/entry.ts";
import { validateConversation } from "../../../machines/conversation/validate.ts";

const user = (...content: UserBlock[]): Entry => ({ role: "user", content });
const assistant = (...content: AssistantBlock[]): Entry => ({ role: "assistant", content });
const text = (text: string) => ({ type: "text", text }) as const;
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } } as const;
const call = (id: string) => ({ type: "tool_use", id, name: "read_file", input: {} }) as const;
const thinking = (signature: string) => ({ type: "thinking", thinking: "hm", signature }) as const;
const redacted = (data: string) => ({ type: "redacted_thinking", data }) as const;
const result = (id: string, ...content: (typeof image | ReturnType<typeof text>)[]): UserBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
const ok = text("ok");
/** An entry that our types do not allow: conversations also come from files. */
const foreign = (entry: { role: string; content: unknown[] }): Entry => entry as Entry;

const GO = user(text("go"));
const [ONE, OTHER] = [result("a", ok), result("b", ok)];

/** Conversations and their faults, with position and message. */
const CASES: readonly (readonly [title: string, history: readonly Entry[], faults: readonly string[]])[] = [
  ["nothing", [], ["0 no_entries: The conversation has no entries."]],
  [
    "the assistant alone",
    [assistant(ok)],
    [
      "0 first_not_user: The first entry is not a user entry.",
      "0 last_not_user: The last entry is not a user entry.",
    ],
  ],
  ["the user twice", [GO, GO], ["1 roles_not_alternating: Two consecutive user entries."]],
  [
    "the assistant twice",
    [GO, assistant(ok), assistant(ok), GO],
    ["2 roles_not_alternating: Two consecutive assistant entries."],
  ],
  [
    "the assistant twice, the first with a call",
    [GO, assistant(call("a")), assistant(ok), GO],
    [
      "2 roles_not_alternating: Two consecutive assistant entries.",
      "2 missing_result: The tool call a has no result in the next user entry.",
    ],
  ],
  ["an entry without blocks", [user()], ["0 empty_entry: The entry has no blocks."]],
  ["white space of the user", [user(ok, text(" \n"))], ["0.1 empty_text: The text is empty."]],
  ["white space of the model", [GO, assistant(text("\t"), ok), GO], ["1.0 empty_text: The text is empty."]],
  ["an image of the user", [user(image)], []],
  [
    "thinking without its signature",
    [GO, assistant(thinking(""), ok), GO],
    ["1.0 unsigned_thinking: The thinking has no signature."],
  ],
  [
    "redacted thinking without its data",
    [GO, assistant(redacted(""), ok), GO],
    ["1.0 unsigned_thinking: The redacted thinking has no data."],
  ],
  ["thinking with its signature", [GO, assistant(thinking("s"), redacted("d"), ok), GO], []],
  [
    "thinking at the end",
    [GO, assistant(ok, thinking("s")), GO],
    ["1.1 thinking_last: The response ends with thinking."],
  ],
  [
    "redacted thinking at the end",
    [GO, assistant(ok, redacted("d")), GO],
    ["1.1 thinking_last: The response ends with thinking."],
  ],
  [
    "the same call twice",
    [GO, assistant(call("a"), call("a")), user(ONE)],
    ["1.1 duplicate_call: Two tool calls have the id a."],
  ],
  [
    "the same call in two responses",
    [GO, assistant(call("a")), user(ONE), assistant(call("a")), user(ONE)],
    [],
  ],
  [
    "calls without results",
    [GO, assistant(call("a"), call("b")), GO],
    [
      "2 missing_result: The tool call a has no result in the next user entry.",
      "2 missing_result: The tool call b has no result in the next user entry.",
    ],
  ],
  [
    "a call at the end",
    [GO, assistant(call("a"))],
    [
      "1 last_not_user: The last entry is not a user entry.",
      "1 missing_result: The tool call a has no result in the next user entry.",
    ],
  ],
  [
    "a result without a call",
    [user(ONE)],
    ["0.0 orphan_result: The tool call a is not in the previous entry."],
  ],
  [
    "a result of an earlier call",
    [GO, assistant(call("a")), user(ONE), assistant(ok), user(ONE)],
    ["4.0 orphan_result: The tool call a is not in the previous entry."],
  ],
  [
    "two results of a call",
    [GO, assistant(call("a")), user(ONE, ONE)],
    ["2.1 duplicate_result: The tool call a has two results."],
  ],
  [
    "results in another order",
    [GO, assistant(call("a"), call("b")), user(OTHER, ONE)],
    ["2 results_out_of_order: The results are not in the order of their tool calls."],
  ],
  ["results in the order of their calls", [GO, assistant(call("a"), call("b")), user(ONE, OTHER, ok)], []],
  [
    "a result after text",
    [GO, assistant(call("a")), user(ok, ONE)],
    ["2.1 results_not_first: The result of a is after other blocks."],
  ],
  [
    "a result without blocks",
    [GO, assistant(call("a")), user(result("a"))],
    ["2.0 empty_result: The result has no blocks."],
  ],
  [
    "a result with an empty text",
    [GO, assistant(call("a")), user(result("a", image, text(" ")))],
    ["2.0 empty_text: A text of the result is empty."],
  ],
  ["a result with an image", [GO, assistant(call("a")), user(result("a", image))], []],
  [
    "an image of the model",
    [GO, foreign({ role: "assistant", content: [ok, image] }), GO],
    ["1.1 foreign_block: A block of type image is not allowed in an assistant entry."],
  ],
  [
    "a call of the user",
    [foreign({ role: "user", content: [call("a")] })],
    ["0.0 foreign_block: A block of type tool_use is not allowed in a user entry."],
  ],
  [
    "values that are not blocks",
    [foreign({ role: "user", content: [{}, "text"] })],
    [
      "0.0 foreign_block: A value that is not a block is not allowed in a user entry.",
      "0.1 foreign_block: A value that is not a block is not allowed in a user entry.",
    ],
  ],
];

describe("validateConversation reports position, fault and message (L6)", () => {
  it.each(CASES)("%s", (_title, history, expected) => {
    const found = validateConversation(history).map(
      ({ entry, block, fault, message }) =>
        `${entry}${block === undefined ? "" : `.${block}`} ${fault}: ${message}`,
    );
    expect(found).toEqual(expected);
  });

  it("a violation of an entry has no field `block`", () => {
    expect(validateConversation([]).map((violation) => "block" in violation)).toEqual([false]);
  });

  it("the error lists the violations", () => {
    const history = [user(text("")), assistant(call("a")), user(ok)];
    expect(() => assertConversation(history)).toThrow(
      expect.objectContaining({
        name: "ConversationError",
        code: "INVALID_HISTORY",
        message:
          "Expected a conversation that the Messages API accepts, got one with faults:\n" +
          "- entry 0, block 0: The text is empty. (empty_text)\n" +
          "- entry 2: The tool call a has no result in the next user entry. (missing_result)\n" +
          "Nothing was sent. Build user entries with pairResults, or drop the entries named above.",
      }),
    );
  });

  it.each([
    [10, false],
    [11, true],
  ])("the error lists at most 10 violations: of %i, some are left out: %s", (count, leavesOut) => {
    const history = [user(...Array.from({ length: count }, () => text("")))];
    const message = (() => {
      try {
        assertConversation(history);
      } catch (error) {
        return String(error);
      }
      return "";
    })();
    expect(message.match(/and \d+ more/)?.[0]).toBe(leavesOut ? "and 1 more" : undefined);
    expect(message.match(/- entry/g)).toHaveLength(10);
  });
});
