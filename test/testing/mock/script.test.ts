import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { ScriptError } from "../../../testing/mock/script/script-error.ts";
import { parseScript } from "../../../testing/mock/script/script-parser.ts";

/** The lines of what a script is refused with. */
function errorLines(text: string, name = "demo.yaml"): string[] {
  try {
    parseScript(text, name);
  } catch (error) {
    if (error instanceof ScriptError) return error.message.split("\n");
    throw error;
  }
  return [];
}

describe("a script", () => {
  test("is equal in YAML and JSON", () => {
    const yaml = "turns:\n  - tool: read_file\n    input: { path: a }\n  - text: Done.\n";
    const json = JSON.stringify({ turns: [{ tool: "read_file", input: { path: "a" } }, { text: "Done." }] });
    expect(parseScript(yaml)).toEqual(parseScript(json));
  });

  test("may be a list of turns", () => {
    expect(parseScript("- text: a").turns).toEqual(parseScript("turns: [text: a]").turns);
  });

  test("has turns of one block, of a list of blocks, and of blocks with settings", () => {
    const turns = parseScript("- text: a\n- [{text: a}]\n- blocks: [{text: a}]").turns;
    expect(turns[1]).toEqual(turns[0]);
    expect(turns[2]).toEqual(turns[0]);
  });

  test("adds faults to the next turn, `times` each", () => {
    const [turn] = parseScript("- {status: 529, times: 2}\n- {cutAfter: 1}\n- text: a").turns;
    expect(turn?.faults.map(({ kind }) => kind)).toEqual(["status", "status", "cut"]);
  });

  test("stops for tool_use with a tool call, else for end_turn", () => {
    const stops = parseScript(
      "- text: a\n- tool: t\n- {text: a, stopSequence: X}\n- {text: a, stop: refusal}",
    ).turns;
    expect(stops.map(({ response }) => response?.stop)).toEqual([
      "end_turn",
      "tool_use",
      "stop_sequence",
      "refusal",
    ]);
  });

  test("expands repetitions, in texts and anywhere in a tool's input", () => {
    const [first, second] = parseScript(
      "- text: {repeat: ab, times: 3}\n- tool: t\n  input: {a: [{repeat: x, times: 2}], b: {repeat: no, times: -1}}",
    ).turns;
    expect(first?.response?.blocks[0]).toMatchObject({ text: "ababab", unit: 2 });
    expect(second?.response?.blocks[0]).toMatchObject({
      input: { a: ["xx"], b: { repeat: "no", times: -1 } },
    });
  });

  test("has the name of its file by default", () => {
    expect(parseScript("- text: a", "x.yaml").name).toBe("x.yaml");
    expect(parseScript("name: mine\nturns: [text: a]", "x.yaml").name).toBe("mine");
  });
});

describe("an invalid script is rejected with the file, the line, the column, what was expected and what came", () => {
  test.each([
    [
      "turns:\n  - text: a\n    delayMs: fast",
      "demo.yaml:3:14: turns[0].delayMs: expected milliseconds between deltas",
      '"fast"',
    ],
    [
      "turns:\n  - text: a\n    dely: 3",
      "demo.yaml:3:5: turns[0]: expected a turn with the fields",
      'the field "dely"',
    ],
    [
      "turns:\n  - status: 529\n    retry: 3\n",
      "demo.yaml:3:5: turns[0]: expected a status fault",
      'the field "retry"',
    ],
    [
      "turns:\n  - txt: a",
      "demo.yaml:2:5: turns[0]: expected a turn: a list of blocks",
      "an object with txt",
    ],
    [
      "turns:\n  - [{text: a},\n     {txt: b}]",
      "demo.yaml:3:6: turns[0][1]: expected a block",
      "an object with txt",
    ],
    [
      "turns:\n  - tool: t\n    input: 3",
      "demo.yaml:3:12: turns[0].input: expected the tool's arguments",
      "got 3",
    ],
    [
      "turns:\n  - tool: bad name\n",
      "demo.yaml:2:11: turns[0].tool: expected the name of a tool",
      '"bad name"',
    ],
    ["turns: []", "demo.yaml:1:8: turns: expected a list of turns, not empty", "an empty list"],
    ["turns: soon", "demo.yaml:1:8: turns: expected a list of turns", '"soon"'],
    ["nothing: 1", "demo.yaml:1:1: the script: expected a script with the fields", 'the field "nothing"'],
    ["seed: 1", "demo.yaml:1:1: the script: expected a script with turns or rules", "an object with seed"],
    ["", "demo.yaml:1:1: the script: expected a script", "null"],
    [
      "rules:\n  - when: {user: '['}\n    turns: [text: a]",
      "demo.yaml:2:18: rules[0].when.user: expected a regular expression",
      '"["',
    ],
    [
      "turns:\n  - text: a\n    chunk: [9, 1]",
      "demo.yaml:3:12: turns[0].chunk: expected characters a delta: [min, max] with min not above max",
      "a list of 2",
    ],
    [
      "turns:\n  - text: a\n    chunk: 0",
      "demo.yaml:3:12: turns[0].chunk: expected characters a delta: a number from 1",
      "got 0",
    ],
    [
      "turns:\n  - text: a\n    stop: later",
      "demo.yaml:3:11: turns[0].stop: expected a stop reason: end_turn, ",
      '"later"',
    ],
    [
      "turns:\n  - text: a\n    usage: {tokens: 3}",
      "demo.yaml:3:13: turns[0].usage: expected a usage with the fields input_tokens",
      'the field "tokens"',
    ],
    [
      "- text: a\n- cutAfter: 3",
      "demo.yaml:2:3: [1]: expected a turn after this fault",
      "an object with cutAfter",
    ],
    [
      "- text: {repeat: xx, times: 900000000}",
      "demo.yaml:1:29: [0].text.times: expected how many times",
      "900000000",
    ],
    [
      "- tool: t\n  input: {a: {repeat: xxxxxxxxxx, times: 60000000}}",
      "demo.yaml:2:14: [0].input.a: expected a repetition of at most",
      "repeat, times",
    ],
    [
      "turns:\n  - {text: a, status: 9}",
      "demo.yaml:2:23: turns[0].status: expected an HTTP status from 200 to 599",
      "got 9",
    ],
    ["turns: [\n  text: a", "demo.yaml:2:10: expected YAML or JSON, but: ", ""],
    ["a: &a [*a, *b]", "expected YAML or JSON", ""],
  ])("%j", (text, expected, came) => {
    const [first = ""] = errorLines(text);
    expect(first).toContain(expected);
    expect(first).toContain(came);
    expect(first).toMatch(/^demo\.yaml:\d+:\d+: .*\.$/);
  });

  test("in JSON too, also with tabs", () => {
    const [first] = errorLines('{\n\t"turns": [\n\t\t{"text": "a", "chunk": "x"}\n\t]\n}', "demo.json");
    expect(first).toMatch(/^demo\.json:3:\d+: turns\[0\]\.chunk: expected characters a delta/);
  });

  test("the first problems are listed, and the number of others", () => {
    const lines = errorLines(`turns:\n${"  - {text: a, chunk: x}\n".repeat(8)}`);
    expect(lines).toHaveLength(6);
    expect(lines[5]).toBe("... and 3 more.");
  });

  test("the error has a code and a place for programs", () => {
    expect(() => parseScript("- text: a\n- 5", "s")).toThrow(
      expect.objectContaining({ code: "SCRIPT_INVALID", place: { file: "s", line: 2, column: 3 } }),
    );
  });

  test("a script over the size limit is rejected (L14)", () => {
    expect(errorLines(" ".repeat(16 * 1024 * 1024 + 1))[0]).toContain("at most 16777216 characters");
  });

  test("endless nesting is rejected", () => {
    expect(errorLines("[".repeat(20_000))[0]).toContain("expected YAML or JSON");
    expect(errorLines(`- tool: t\n  input: &a {b: *a}`)).toHaveLength(1);
    const deep = `{"turns":[{"tool":"t","input":${'{"a":'.repeat(500)}1${"}".repeat(500)}}]}`;
    expect(errorLines(deep)[0]).toContain("arguments at most 100 levels deep");
  });
});

describe("parseScript throws only a ScriptError", () => {
  const parsesOrRejects = (text: string) => {
    try {
      parseScript(text);
    } catch (error) {
      expect(error).toBeInstanceOf(ScriptError);
    }
  };
  const key = fc.constantFrom(
    ..."turns rules when user tool input id raw json text thinking signature redacted blocks chunk delayMs".split(
      " ",
    ),
    ..."usage stop seed name status body retryAfter drop cutAfter cleanly errorEvent stallMs garbage after times".split(
      " ",
    ),
    ..."repeat base64 type message input_tokens __proto__ constructor".split(" "),
  );
  const { near } = fc.letrec((tie) => ({
    near: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<unknown>(0, 1, 529, -1, 1.5, true, null, "", "a", "["),
      fc.array(tie("near"), { maxLength: 3 }),
      fc.dictionary(key, tie("near"), { maxKeys: 4 }),
    ),
  }));

  property.prop([fc.string()])("on any text", parsesOrRejects);
  property.prop([fc.json()])("on any JSON", parsesOrRejects);
  property.prop([near], { numRuns: 500 })("on any JSON with the field names of a script", (value) =>
    parsesOrRejects(JSON.stringify({ turns: [value] })),
  );
  property.prop([
    fc.array(
      fc.constantFrom("- ", "  ", "\n", ": ", "text", "turns", "&a ", "*a", "{", "[", "!x ", "|", "a", "'"),
    ),
  ])("on any YAML tokens", (parts) => parsesOrRejects(parts.join("")));
});
