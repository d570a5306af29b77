import type { MessageParam } from "@anthropic-ai/sdk/resources/messages";
import { describe, expect, test } from "vitest";
import { assistant, hello, mockWith, textOf, user } from "./support.ts";

const call = (id: string, name: string) => assistant([{ type: "tool_use", id, name, input: {} }]);
const result = (id: string, text?: string) =>
  user([
    { type: "tool_result", tool_use_id: id, content: "ok" },
    ...(text === undefined ? [] : [{ type: "text" as const, text }]),
  ]);

describe("the turn is chosen by the request itself", () => {
  test("by the number of its assistant entries", async () => {
    await using mock = await mockWith("- text: first\n- text: second\n- text: third");
    const more = [assistant("a"), user("b")];
    expect(textOf(await mock.events([...hello, ...more]))).toBe("second");
    expect(textOf(await mock.events(hello))).toBe("first");
    expect(textOf(await mock.events([...hello, ...more, ...more]))).toBe("third");
    expect(textOf(await mock.events(hello))).toBe("first");
    expect(mock.server.requests.map(({ turn }) => turn)).toEqual([2, 1, 3, 1]);
  });

  test("an exhausted script is reported to the client (L14)", async () => {
    await using mock = await mockWith("- text: only");
    const { error } = await mock.events([...hello, assistant("a"), user("b")]);
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error" });
    expect(String(error)).toContain("script_exhausted: the script has 1 turn; the request is for turn 2");
  });
});

test("a rule on the conversation matches a text of any user entry, and no response", async () => {
  await using mock = await mockWith(
    "rules:\n  - { when: { conversation: '^red$' }, turns: [{ text: one }, { text: two }] }\nturns:\n  - text: otherwise\n  - text: otherwise again",
  );
  expect(textOf(await mock.events([user("red")]))).toBe("one");
  expect(textOf(await mock.events([user("blue")]))).toBe("otherwise");
  expect(textOf(await mock.events([user("blue"), assistant("red"), user("x")]))).toBe("otherwise again");
});

test("a rule counts its turns from the prompt, though each result has environment details behind it", async () => {
  const details = {
    type: "text" as const,
    text: "<environment_details>\n# Current time\nnow\n</environment_details>",
  };
  await using mock = await mockWith(`
rules:
  - { when: { tool: write }, turns: [{ text: written }] }
  - { when: { user: "fix.*tests" }, turns: [{ text: fixing }, { text: fixed }] }
`);
  const prompt = user([{ type: "text", text: "fix the tests" }, details]);
  const results = (id: string) => user([{ type: "tool_result", tool_use_id: id, content: "ok" }, details]);
  expect(textOf(await mock.events([prompt]))).toBe("fixing");
  expect(textOf(await mock.events([prompt, call("1", "read"), results("1")]))).toBe("fixed");
  expect(textOf(await mock.events([prompt, call("1", "write"), results("1")]))).toBe("written");
});

describe("rules", () => {
  const script = `
rules:
  - when: { user: "fix.*tests" }
    turns:
      - text: fixing
      - text: fixed
  - when: { tool: read_file }
    turns: [{ text: read }]
  - when: { user: hard, tool: write }
    turns: [{ text: both }]
turns:
  - text: otherwise
  - text: otherwise again
`;
  const cases: [string, MessageParam[], string][] = [
    ["match the newest user text", [user("please fix\nthe tests")], "fixing"],
    [
      "count from the entry they matched",
      [user("fix tests"), assistant("a"), user("fix more tests")],
      "fixing",
    ],
    ["continue while that text is the newest", [user("fix tests"), call("1", "t"), result("1")], "fixed"],
    [
      "match the tool of the newest result",
      [user("x"), call("1", "t"), result("1"), call("2", "read_file"), result("2")],
      "read",
    ],
    [
      "take the last result of an entry",
      [user("x"), call("1", "read_file"), result("1"), call("2", "t"), result("2")],
      "",
    ],
    [
      "match a text next to a result",
      [user("x"), call("1", "read_file"), result("1", "fix tests")],
      "fixing",
    ],
    [
      "ignore a result before a newer user text",
      [user("x"), call("1", "read_file"), result("1"), user("y")],
      "otherwise again",
    ],
    [
      "do not apply to other requests, which get the script's turns",
      [user("x"), assistant("a"), user("y")],
      "otherwise again",
    ],
    ["need both conditions", [user("hard"), call("1", "write"), result("1")], "both"],
    [
      "need both conditions: only one is met",
      [user("x"), call("1", "write"), result("1")],
      "otherwise again",
    ],
  ];
  test.each(cases)("%s", async (_, messages, expected) => {
    await using mock = await mockWith(script);
    expect(textOf(await mock.events(messages))).toBe(expected);
  });

  test("that are exhausted name their number", async () => {
    await using mock = await mockWith(script);
    const more = [call("1", "t"), result("1"), call("2", "t"), result("2")];
    expect(String((await mock.events([user("fix tests"), ...more])).error)).toContain(
      "script_exhausted: rule 1 has 2 turns; the request is for turn 3",
    );
  });

  test("that do not match, without turns, are reported", async () => {
    await using mock = await mockWith("rules: [{when: {user: x}, turns: [{text: a}]}]");
    const { error } = await mock.events(hello);
    expect(error).toMatchObject({ status: 400 });
    expect(String(error)).toContain("script_no_match: none of the 1 rules of script matches");
  });
});
