import { describe, expect, test } from "vitest";
import { ExchangeError, fromRoo, toRoo } from "../../../wire/index.ts";
import { parseRooFile } from "../../../wire/roo/from-roo.ts";

type Json = Readonly<Record<string, unknown>>;
const say = (ts: number, kind: string, more: Json = {}): Json => ({ ts, type: "say", say: kind, ...more });
const ask = (ts: number, kind: string, more: Json = {}): Json => ({ ts, type: "ask", ask: kind, ...more });
const uiReport = (...ui: readonly unknown[]): readonly string[] =>
  fromRoo({ ui }).report.map(({ index, rule, what }) => `${index} ${rule} ${what}`);
const closings = (...ui: readonly unknown[]): readonly unknown[] =>
  fromRoo({ ui }).messages.flatMap(({ type, closing }) => (type === "ask" ? [closing] : []));
const converted = (...api: readonly unknown[]) => fromRoo({ api });
const apiReport = (...api: readonly unknown[]): readonly string[] =>
  fromRoo({ api }).report.map(({ index, rule, what }) => `${index} ${rule} ${what}`);

const user = (...content: readonly unknown[]): Json => ({ role: "user", content });
const assistant = (...content: readonly unknown[]): Json => ({ role: "assistant", content });
const text = (text: string): Json => ({ type: "text", text });
const call = (id: string): Json => ({ type: "tool_use", id, name: "read_file", input: {} });
const result = (id: string, output = "done"): Json => ({
  type: "tool_result",
  tool_use_id: id,
  content: [text(output)],
});

describe("A file", () => {
  const codeOf = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error instanceof ExchangeError ? `${error.code} ${error.message}` : error;
    }
  };

  test("that is not JSON is rejected", () => {
    expect(codeOf(() => parseRooFile("[{", "old/ui_messages.json"))).toBe(
      'EXCHANGE_INVALID old/ui_messages.json: expected a JSON array, got text that is not JSON: "[{". Restore the file from a copy, or leave it out.',
    );
  });

  test("that is not an array is rejected", () => {
    const message =
      'ui_messages.json: expected a JSON array, got {"a":1}. Restore the file from a copy, or leave it out.';
    expect(codeOf(() => fromRoo({ ui: { a: 1 } }))).toBe(`EXCHANGE_INVALID ${message}`);
    expect(codeOf(() => fromRoo({ api: null }))).toMatch(/^EXCHANGE_INVALID api_conversation_history.json: /);
  });

  test("may begin with a byte order mark", () => expect(parseRooFile("\uFEFF[]", "x")).toEqual([]));
  test("that is missing is empty", () =>
    expect(fromRoo({})).toEqual({ messages: [], conversation: [], report: [] }));
});

describe("Messages", () => {
  test("L5: a repeated or decreasing ts becomes the next free one, and is reported", () => {
    const messages = [say(5, "text"), say(5, "text"), say(3, "text"), say(9, "text"), say(9.5, "text")];
    expect(fromRoo({ ui: messages }).messages.map(({ ts }) => ts)).toEqual([5, 6, 7, 9, 9.5]);
    expect(uiReport(...messages)).toEqual([
      "1 L5 The ts 5 is not greater than the previous one; it became 6.",
      "2 L5 The ts 3 is not greater than the previous one; it became 7.",
    ]);
  });

  test("L5: messages without a ts get one next to the valid ones", () => {
    const messages = [{ type: "say", say: "text" }, say(8, "text"), { type: "say", say: "text", ts: "9" }];
    expect(fromRoo({ ui: messages }).messages.map(({ ts }) => ts)).toEqual([7, 8, 9]);
    expect(uiReport(...messages)).toEqual([
      "0 L5 The ts is missing or invalid (undefined); it became 7.",
      '2 L5 The ts is missing or invalid ("9"); it became 9.',
    ]);
  });

  test("that are invalid are left out, and so are fields of a wrong type", () => {
    expect(
      uiReport(7, { ts: 1, type: "other" }, say(2, "text", { text: 5, partial: "yes", own: 5 })),
    ).toEqual([
      "0 format A value that is not a message was left out: 7.",
      '1 format A message whose type is not ask or say was left out: {"ts":1,"type":"other"}.',
      "2 format The field text of a wrong type was left out: 5.",
      '2 format The field partial of a wrong type was left out: "yes".',
    ]);
    expect(fromRoo({ ui: [say(2, "text", { text: 5, own: 5 })] }).messages).toEqual([
      { ts: 2, type: "say", say: "text", own: 5 },
    ]);
  });

  test("L3: that are partial are closed with their text", () => {
    const messages = [say(1, "reasoning", { text: "Hm", partial: true }), say(2, "text")];
    expect(fromRoo({ ui: messages }).messages[0]).toEqual({ ...messages[0], partial: false });
    expect(uiReport(...messages)).toEqual([
      "0 L3 The partial message say:reasoning was closed with its text.",
    ]);
  });

  const open = say(1, "api_req_started", { text: '{"apiProtocol":"anthropic","tokensIn":5,"own":1}' });
  test.each([
    ["the task was resumed", [ask(3, "resume_task")], "streaming_failed"],
    ["the log ends", [say(3, "text", { partial: true })], "streaming_failed"],
    [
      "its tool call was partial when the task was resumed",
      [ask(2, "tool", { partial: true }), ask(3, "resume_task")],
      "streaming_failed",
    ],
    ["it posted a complete ask", [ask(3, "tool", { partial: false })], undefined],
    ["the next request followed", [say(3, "api_req_started", { text: '{"cost":1}' })], undefined],
  ])(
    "L4: an open request is closed with a cost, and a reason unless its response is complete: %s",
    (_, following, reason) => {
      const { messages } = fromRoo({ ui: [open, ...following] });
      expect(JSON.parse(messages[0]?.text ?? "")).toEqual({
        apiProtocol: "anthropic",
        tokensIn: 5,
        own: 1,
        cost: 0,
        ...(reason !== undefined && { cancelReason: reason }),
      });
    },
  );

  test("L4: an existing reason is kept", () => {
    const { messages } = fromRoo({
      ui: [say(1, "api_req_started", { text: '{"cancelReason":"user_cancelled"}' })],
    });
    expect(messages[0]?.text).toBe('{"cancelReason":"user_cancelled","cost":0}');
  });

  test.each([
    ["by isAnswered", [ask(1, "followup", { isAnswered: true })], ["answered"]],
    ["by feedback", [ask(1, "followup"), say(2, "user_feedback")], ["answered"]],
    [
      "by a no, which the format does not record",
      [ask(1, "tool"), say(2, "api_req_started", { text: '{"cost":1}' })],
      ["answered"],
    ],
    ["not at all: it is the last message", [ask(1, "completion_result")], ["withdrawn"]],
    [
      "not at all: the task was interrupted",
      [ask(1, "tool"), ask(2, "resume_task"), say(3, "user_feedback")],
      ["withdrawn", "answered"],
    ],
    [
      "not at all: a checkpoint is no answer",
      [ask(1, "tool"), say(2, "checkpoint_saved"), ask(3, "resume_task")],
      ["withdrawn", "withdrawn"],
    ],
    [
      "not at all: it is partial, even with isAnswered",
      [ask(1, "tool", { partial: true, isAnswered: true }), say(2, "text")],
      ["withdrawn"],
    ],
    [
      "with its command",
      [ask(1, "command"), ask(2, "command_output"), say(3, "command_output")],
      ["answered", "ended"],
    ],
    [
      "not at all: the output belongs to an older command",
      [ask(1, "completion_result"), say(2, "command_output")],
      ["withdrawn"],
    ],
    ["an unknown kind", [ask(1, "plan_mode_respond"), say(2, "user_feedback")], ["answered"]],
  ])("L8: an ask without closing was closed %s", (_, messages, expected) => {
    expect(closings(...messages)).toEqual(expected);
  });

  test("isAnswered is set on answered asks only", () => {
    const { messages } = fromRoo({
      ui: [ask(1, "command"), ask(2, "tool", { partial: true, isAnswered: true }), say(3, "text")],
    });
    expect(messages.map(({ isAnswered }) => isAnswered)).toEqual([true, undefined, undefined]);
  });
});

test("a text of null is left out on export and import", () => {
  const message = { ts: 1, type: "say" as const, say: "text", text: null };
  expect(toRoo({ messages: [message], conversation: [] }).ui).toEqual([{ ts: 1, type: "say", say: "text" }]);
  expect(fromRoo({ ui: [message] }).messages).toEqual([{ ts: 1, type: "say", say: "text" }]);
});

describe("Entries", () => {
  test("L6: a missing tool result becomes an interrupted one", () => {
    const { conversation, report } = converted(
      user(text("Go")),
      assistant(call("a"), call("b")),
      user(result("b"), text("and")),
    );
    expect(conversation[2]?.content).toEqual([
      {
        type: "tool_result",
        tool_use_id: "a",
        content: [text("The task was interrupted before this tool call could be completed.")],
        is_error: true,
      },
      result("b"),
      text("and"),
    ]);
    expect(report.map(({ what }) => what)).toEqual([
      "The tool call a without a result got an interrupted one.",
    ]);
  });

  test("L6: the tool calls of the last response may have no results", () => {
    const entries = [user(text("Go")), assistant(call("a"))];
    expect(converted(...entries)).toMatchObject({ conversation: entries, report: [] });
  });

  test("L6: an orphan result becomes text, a second one is left out, the others are put first and in order", () => {
    const { conversation } = converted(
      user(text("Go"), result("x", "lost")),
      assistant(call("a"), call("b")),
      user(text("and"), result("b"), result("a"), result("a", "again")),
    );
    expect(conversation[0]?.content).toEqual([text("Go"), text("Tool result:\nlost")]);
    expect(conversation[2]?.content).toEqual([result("a"), result("b"), text("and")]);
  });

  test("L6: results out of order are reported", () => {
    expect(
      apiReport(user(text("Go")), assistant(call("a"), call("b")), user(result("b"), result("a"))),
    ).toEqual(["2 L6 Tool results were moved to the front, in the order of their calls."]);
  });

  test("L6: entries of one role are joined, empty ones are left out, and the first is the user's", () => {
    const imported = fromRoo({
      ui: [say(1, "text", { text: "Fix it" })],
      api: [
        assistant(text("A")),
        assistant(text(" ")),
        user(text("")),
        assistant(text("B")),
        { role: "user", content: "C" },
      ],
    });
    expect(imported.conversation).toEqual([
      user(text("<user_message>\nFix it\n</user_message>")),
      assistant(text("A"), text("B")),
      user(text("C")),
    ]);
    expect(imported.report.map(({ index, rule, what }) => `${index} ${rule} ${what}`)).toEqual([
      "0 L6 A user entry was put before the response that began the conversation.",
      "1 L6 An empty text was left out.",
      "1 L6 An empty assistant entry was left out.",
      "2 L6 An empty text was left out.",
      "2 L6 An empty user entry was left out.",
      "3 L6 Two consecutive assistant entries were joined.",
      "4 format Entries whose text became a text block: 1.",
    ]);
  });

  test("L6: thinking without a signature is left out, with a signature it is unchanged", () => {
    const signed = { type: "thinking", thinking: "Hm.", signature: "s", own: 1 };
    const { conversation } = converted(
      user(text("Go")),
      assistant({ type: "thinking", thinking: "Hm." }, { type: "reasoning", text: "Hm." }, signed, text("A")),
      user(text("B")),
      assistant(text("C"), signed),
    );
    expect(conversation[1]?.content).toEqual([signed, text("A")]);
    expect(conversation[3]?.content).toEqual([text("C")]);
  });

  test("results with text as content get blocks, reported once", () => {
    const textResult = (id: string): Json => ({ type: "tool_result", tool_use_id: id, content: "done" });
    const entries = [
      user(text("Go")),
      assistant(call("a"), call("b")),
      user(textResult("a"), textResult("b")),
    ];
    expect(converted(...entries).conversation[2]?.content).toEqual([result("a"), result("b")]);
    expect(apiReport(...entries)).toEqual(["2 format Tool results whose text became a text block: 2."]);
  });

  test("are hidden only by an entry with isSummary", () => {
    const entries = [
      { ...user(text("Go")), condenseParent: "c" },
      { ...assistant(text("A")), condenseId: "c" },
    ];
    expect(converted(...entries)).toMatchObject({ conversation: entries, report: [] });
  });

  test("that a summary replaces are left out and counted, with the results of their calls", () => {
    const entries = [
      { ...user(text("Go")), condenseParent: "c" },
      { ...assistant(call("a")), condenseParent: "c" },
      { ...user(text("Summary")), isSummary: true, condenseId: "c", ts: 5 },
      user(result("a"), text("and")),
      { ...assistant(text("shown: its summary is gone")), condenseParent: "gone" },
      { ...user(text("hidden too")), truncationParent: "t" },
      { ...user(text("Mark")), isTruncationMarker: true, truncationId: "t" },
    ];
    const { conversation } = converted(...entries);
    expect(conversation).toEqual([
      { ...user(text("Summary"), text("and")), isSummary: true, condenseId: "c", ts: 5 },
      { ...assistant(text("shown: its summary is gone")), condenseParent: "gone" },
      entries[6],
    ]);
    expect(apiReport(...entries)).toEqual([
      "0 hidden Entries hidden by a summary or a truncation that were left out: 3.",
      "2 hidden The result of tool call a was left out, because the call is hidden.",
      "3 L6 Two consecutive user entries were joined.",
    ]);
  });
});
