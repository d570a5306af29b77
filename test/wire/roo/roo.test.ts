import { describe, expect, test } from "vitest";
import { ExchangeError, fromRoo, parseRooFile, toRoo } from "../../../wire/index.ts";

type Row = Readonly<Record<string, unknown>>;
const say = (ts: number, kind: string, more: Row = {}): Row => ({ ts, type: "say", say: kind, ...more });
const ask = (ts: number, kind: string, more: Row = {}): Row => ({ ts, type: "ask", ask: kind, ...more });
const said = (...ui: readonly unknown[]): readonly string[] =>
  fromRoo({ ui }).report.map(({ index, rule, what }) => `${index} ${rule} ${what}`);
const closings = (...ui: readonly unknown[]): readonly unknown[] =>
  fromRoo({ ui }).messages.flatMap(({ type, closing }) => (type === "ask" ? [closing] : []));
const heard = (...api: readonly unknown[]) => fromRoo({ api });
const told = (...api: readonly unknown[]): readonly string[] =>
  fromRoo({ api }).report.map(({ index, rule, what }) => `${index} ${rule} ${what}`);

const user = (...content: readonly unknown[]): Row => ({ role: "user", content });
const assistant = (...content: readonly unknown[]): Row => ({ role: "assistant", content });
const text = (words: string): Row => ({ type: "text", text: words });
const call = (id: string): Row => ({ type: "tool_use", id, name: "read_file", input: {} });
const result = (id: string, words = "done"): Row => ({
  type: "tool_result",
  tool_use_id: id,
  content: [text(words)],
});

describe("A file", () => {
  const codeOf = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error instanceof ExchangeError ? `${error.code} ${error.message}` : error;
    }
  };

  test("that is no JSON is refused with what was expected, what came and what to do", () => {
    expect(codeOf(() => parseRooFile("[{", "old/ui_messages.json"))).toBe(
      'EXCHANGE_INVALID old/ui_messages.json: expected a JSON array, got text that is not JSON: "[{". Restore the file from a copy, or leave it out.',
    );
  });

  test("that is no array is refused too", () => {
    const words =
      'ui_messages.json: expected a JSON array, got {"a":1}. Restore the file from a copy, or leave it out.';
    expect(codeOf(() => fromRoo({ ui: { a: 1 } }))).toBe(`EXCHANGE_INVALID ${words}`);
    expect(codeOf(() => fromRoo({ api: null }))).toMatch(/^EXCHANGE_INVALID api_conversation_history.json: /);
  });

  test("may begin with a byte order mark", () => expect(parseRooFile("\uFEFF[]", "x")).toEqual([]));
  test("that isn't there holds nothing", () =>
    expect(fromRoo({})).toEqual({ messages: [], conversation: [], report: [] }));
});

describe("Rows", () => {
  test("L5: a ts that came before gets the next that is free, and both are told", () => {
    const rows = [say(5, "text"), say(5, "text"), say(3, "text"), say(9, "text"), say(9.5, "text")];
    expect(fromRoo({ ui: rows }).messages.map(({ ts }) => ts)).toEqual([5, 6, 7, 9, 9.5]);
    expect(said(...rows)).toEqual([
      "1 L5 Its ts 5 is not behind that of the row before; it got 6.",
      "2 L5 Its ts 3 is not behind that of the row before; it got 7.",
    ]);
  });

  test("L5: rows without a ts get one around those that have", () => {
    const rows = [{ type: "say", say: "text" }, say(8, "text"), { type: "say", say: "text", ts: "9" }];
    expect(fromRoo({ ui: rows }).messages.map(({ ts }) => ts)).toEqual([7, 8, 9]);
    expect(said(...rows)).toEqual([
      "0 L5 It has no ts that can be used (undefined); it got 7.",
      '2 L5 It has no ts that can be used ("9"); it got 9.',
    ]);
  });

  test("that are none are left out, and so are fields of another type", () => {
    expect(said(7, { ts: 1, type: "other" }, say(2, "text", { text: 5, partial: "yes", own: 5 }))).toEqual([
      "0 format It is no row and was left out: 7.",
      '1 format Its type is neither ask nor say, and it was left out: {"ts":1,"type":"other"}.',
      "2 format Its text can't be 5, and was left out.",
      '2 format Its partial can\'t be "yes", and was left out.',
    ]);
    expect(fromRoo({ ui: [say(2, "text", { text: 5, own: 5 })] }).messages).toEqual([
      { ts: 2, type: "say", say: "text", own: 5 },
    ]);
  });

  test("L3: that are still partial are closed with the text that they have", () => {
    const rows = [say(1, "reasoning", { text: "Hm", partial: true }), say(2, "text")];
    expect(fromRoo({ ui: rows }).messages[0]).toEqual({ ...rows[0], partial: false });
    expect(said(...rows)).toEqual([
      "0 L3 The row say:reasoning was still partial; it was closed with the text that it has.",
    ]);
  });

  const open = say(1, "api_req_started", { text: '{"apiProtocol":"anthropic","tokensIn":5,"own":1}' });
  test.each([
    ["the task was resumed", [ask(3, "resume_task")], "streaming_failed"],
    ["the log ends", [say(3, "text", { partial: true })], "streaming_failed"],
    [
      "its call was still growing when the task was resumed",
      [ask(2, "tool", { partial: true }), ask(3, "resume_task")],
      "streaming_failed",
    ],
    ["a whole ask came of it", [ask(3, "tool", { partial: false })], undefined],
    ["the next request followed", [say(3, "api_req_started", { text: '{"cost":1}' })], undefined],
  ])(
    "L4: an open request is closed with a cost, and with a reason unless it came whole: %s",
    (_, follows, reason) => {
      const { messages } = fromRoo({ ui: [open, ...follows] });
      expect(JSON.parse(messages[0]?.text ?? "")).toEqual({
        apiProtocol: "anthropic",
        tokensIn: 5,
        own: 1,
        cost: 0,
        ...(reason !== undefined && { cancelReason: reason }),
      });
    },
  );

  test("L4: a reason that it has stays", () => {
    const { messages } = fromRoo({
      ui: [say(1, "api_req_started", { text: '{"cancelReason":"user_cancelled"}' })],
    });
    expect(messages[0]?.text).toBe('{"cancelReason":"user_cancelled","cost":0}');
  });

  test.each([
    ["by its mark", [ask(1, "followup", { isAnswered: true })], ["answered"]],
    ["by feedback", [ask(1, "followup"), say(2, "user_feedback")], ["answered"]],
    [
      "by a no, of which the format says nothing",
      [ask(1, "tool"), say(2, "api_req_started", { text: '{"cost":1}' })],
      ["answered"],
    ],
    ["not at all: it is the last row", [ask(1, "completion_result")], ["withdrawn"]],
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
      "not at all: it was never whole, whatever its mark",
      [ask(1, "tool", { partial: true, isAnswered: true }), say(2, "text")],
      ["withdrawn"],
    ],
    [
      "with its command, which ran",
      [ask(1, "command"), ask(2, "command_output"), say(3, "command_output")],
      ["answered", "ended"],
    ],
    [
      "by late output of an older command: no",
      [ask(1, "completion_result"), say(2, "command_output")],
      ["withdrawn"],
    ],
    ["an unknown kind", [ask(1, "plan_mode_respond"), say(2, "user_feedback")], ["answered"]],
  ])("L8: an ask without our mark was closed %s", (_, rows, expected) => {
    expect(closings(...rows)).toEqual(expected);
  });

  test("the mark of an answer stands with it, and nowhere else", () => {
    const { messages } = fromRoo({
      ui: [ask(1, "command"), ask(2, "tool", { partial: true, isAnswered: true }), say(3, "text")],
    });
    expect(messages.map(({ isAnswered }) => isAnswered)).toEqual([true, undefined, undefined]);
  });
});

test("a text of null, which the format does not have, is left out on the way out and in", () => {
  const row = { ts: 1, type: "say" as const, say: "text", text: null };
  expect(toRoo({ messages: [row], conversation: [] }).ui).toEqual([{ ts: 1, type: "say", say: "text" }]);
  expect(fromRoo({ ui: [row] }).messages).toEqual([{ ts: 1, type: "say", say: "text" }]);
});

describe("Entries", () => {
  test("L6: a missing result says that the call was interrupted", () => {
    const { conversation, report } = heard(
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
      "The call a has no result; it got one that says that it was interrupted.",
    ]);
  });

  test("L6: the calls of the last answer wait for their results: the next request brings them", () => {
    const entries = [user(text("Go")), assistant(call("a"))];
    expect(heard(...entries)).toMatchObject({ conversation: entries, report: [] });
  });

  test("L6: an orphan result becomes text, a second one goes, and the others stand first and in order", () => {
    const { conversation } = heard(
      user(text("Go"), result("x", "lost")),
      assistant(call("a"), call("b")),
      user(text("and"), result("b"), result("a"), result("a", "again")),
    );
    expect(conversation[0]?.content).toEqual([text("Go"), text("Tool result:\nlost")]);
    expect(conversation[2]?.content).toEqual([result("a"), result("b"), text("and")]);
  });

  test("L6: results out of order are told, though nothing is lost", () => {
    expect(told(user(text("Go")), assistant(call("a"), call("b")), user(result("b"), result("a")))).toEqual([
      "2 L6 Its results were not first, or not in the order of their calls; they are now.",
    ]);
  });

  test("L6: entries of one role are joined, empty ones go, and the first is the user's", () => {
    const read = fromRoo({
      ui: [say(1, "text", { text: "Fix it" })],
      api: [
        assistant(text("A")),
        assistant(text(" ")),
        user(text("")),
        assistant(text("B")),
        { role: "user", content: "C" },
      ],
    });
    expect(read.conversation).toEqual([
      user(text("<user_message>\nFix it\n</user_message>")),
      assistant(text("A"), text("B")),
      user(text("C")),
    ]);
    expect(read.report.map(({ index, rule, what }) => `${index} ${rule} ${what}`)).toEqual([
      "0 L6 The user's first entry is missing; one was put before the answer.",
      "1 L6 An empty text was left out.",
      "1 L6 The assistant's entry is empty and was left out.",
      "2 L6 An empty text was left out.",
      "2 L6 The user's entry is empty and was left out.",
      "3 L6 It is a second entry of the assistant in a row; both were joined.",
      "4 format 1 entry was bare text; it became a text block.",
    ]);
  });

  test("L6: thinking without its signature is left out, and with it stays as it came", () => {
    const signed = { type: "thinking", thinking: "Hm.", signature: "s", own: 1 };
    const { conversation } = heard(
      user(text("Go")),
      assistant({ type: "thinking", thinking: "Hm." }, { type: "reasoning", text: "Hm." }, signed, text("A")),
      user(text("B")),
      assistant(text("C"), signed),
    );
    expect(conversation[1]?.content).toEqual([signed, text("A")]);
    expect(conversation[3]?.content).toEqual([text("C")]);
  });

  test("results as bare text become blocks, told once", () => {
    const bare = (id: string): Row => ({ type: "tool_result", tool_use_id: id, content: "done" });
    const entries = [user(text("Go")), assistant(call("a"), call("b")), user(bare("a"), bare("b"))];
    expect(heard(...entries).conversation[2]?.content).toEqual([result("a"), result("b")]);
    expect(told(...entries)).toEqual(["2 format 2 results stood as bare text; each became a text block."]);
  });

  test("whose summary is only said to be one are shown: it takes the mark of a summary to hide them", () => {
    const entries = [
      { ...user(text("Go")), condenseParent: "c" },
      { ...assistant(text("A")), condenseId: "c" },
    ];
    expect(heard(...entries)).toMatchObject({ conversation: entries, report: [] });
  });

  test("that a summary stands for are left out and counted, with the results of their calls", () => {
    const entries = [
      { ...user(text("Go")), condenseParent: "c" },
      { ...assistant(call("a")), condenseParent: "c" },
      { ...user(text("Summary")), isSummary: true, condenseId: "c", ts: 5 },
      user(result("a"), text("and")),
      { ...assistant(text("shown: its summary is gone")), condenseParent: "gone" },
      { ...user(text("hidden too")), truncationParent: "t" },
      { ...user(text("Mark")), isTruncationMarker: true, truncationId: "t" },
    ];
    const { conversation } = heard(...entries);
    expect(conversation).toEqual([
      { ...user(text("Summary"), text("and")), isSummary: true, condenseId: "c", ts: 5 },
      { ...assistant(text("shown: its summary is gone")), condenseParent: "gone" },
      entries[6],
    ]);
    expect(told(...entries)).toEqual([
      "0 hidden 3 entries are hidden by a summary or a truncation and were left out.",
      "2 hidden The result of the call a was left out, because the call is hidden.",
      "3 L6 It is a second entry of the user in a row; both were joined.",
    ]);
  });
});
