import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseStdinStreamCommand, STDIN_COMMANDS, StdinCommandError } from "../../../wire/ndjson/command.ts";

const UUID = "0190c4c2-7f0e-7c3a-9d55-3f0a4b1c2d3e";
const parse = (value: unknown) => parseStdinStreamCommand(JSON.stringify(value), 7);

describe("a valid command", () => {
  test("start has all its fields; the request id is trimmed, the prompt is not", () => {
    const images = ["data:image/png;base64,AA"];
    const configuration = { mode: "ask" };
    expect(
      parse({ command: "start", requestId: " r1 ", prompt: " Go \n", taskId: UUID, images, configuration }),
    ).toEqual({ command: "start", requestId: "r1", prompt: " Go \n", taskId: UUID, images, configuration });
  });

  test.each([null, "text", 7, [1]])(
    "a configuration that is not an object is ignored: %j",
    (configuration) => {
      expect(parse({ command: "start", requestId: "r", prompt: "p", configuration }).command).toBe("start");
    },
  );

  test.each(["cancel", "ping", "shutdown"])("%s needs only a request id", (command) => {
    expect(parse({ command, requestId: "r", other: 1 })).toEqual({ command, requestId: "r" });
  });

  test("permissions has a mode, rules, both, or neither", () => {
    const command = { command: "permissions", requestId: "r" };
    const rules = [{ level: "deny", rule: "edit(dist/**)" }];
    for (const change of [{}, { mode: "plan" }, { rules }, { mode: "auto", rules: [] }])
      expect(parse({ ...command, ...change })).toEqual({ ...command, ...change });
  });

  test("an answer can add a rule, or select a mode", () => {
    const yes = { command: "approve", requestId: "r", askId: 1, rule: "edit(src/**)" };
    expect(parse(yes)).toEqual(yes);
    const text = { command: "message", requestId: "r", askId: 1, prompt: "Plan it", mode: "architect" };
    expect(parse(text)).toEqual(text);
  });

  test("compact needs no prompt, and an empty one is none", () => {
    const command = { command: "compact", requestId: "r" };
    expect(parse(command)).toEqual(command);
    expect(parse({ ...command, prompt: "Keep the names." })).toEqual({
      ...command,
      prompt: "Keep the names.",
    });
    expect(parse({ ...command, prompt: " " })).toMatchObject({ command: "compact" });
  });

  test.each(["approve", "reject", "continue", "abort"])("%s names its ask (L8)", (command) => {
    expect(parse({ command, requestId: "r", askId: 12 })).toMatchObject({ command, askId: 12 });
    expect(() => parse({ command, requestId: "r" })).toThrow(
      'expected "askId" to be the whole number of the ask, got nothing',
    );
  });
});

describe("an invalid line is rejected with its number", () => {
  test.each([
    ["{", "expected one JSON object, got text that is not JSON"],
    ["[]", "expected a JSON object, got an array"],
    ["null", "expected a JSON object, got null"],
    ['"ping"', "expected a JSON object, got a string"],
    ["{}", 'expected "command" to be one of start, message'],
    ['{"command":7}', "got a number"],
    ['{"command":"stop"}', 'unsupported command "stop": expected one of start, message'],
    ['{"command":"constructor","requestId":"r"}', "unsupported command"],
    ['{"command":"ping"}', 'expected "requestId" to be a string, got nothing'],
    ['{"command":"ping","requestId":"  "}', 'expected "requestId" to be a non-empty string'],
    ['{"command":"message","requestId":"r","prompt":" \\n"}', 'expected "prompt" to be a non-empty string'],
    ['{"command":"message","requestId":"r","prompt":"p","images":[1]}', '"images" to contain strings'],
    ['{"command":"message","requestId":"r","prompt":"p","images":"x"}', '"images" to be an array of strings'],
    ['{"command":"permissions","requestId":"r","mode":"all"}', '"mode" to be one of plan, ask, auto-edit, '],
    [
      '{"command":"permissions","requestId":"r","rules":"x"}',
      '"rules" to be an array of rules, got a string',
    ],
    ['{"command":"message","requestId":"r","prompt":"p","mode":"ask"}', '"askId" with "mode"'],
    ['{"command":"approve","requestId":"r","askId":1,"rule":" "}', '"rule" to be a non-empty string'],
    ['{"command":"compact","requestId":"r","prompt":7}', 'expected "prompt" to be a string, got a number'],
    ['{"command":"start","requestId":"r","prompt":"p","taskId":"me"}', '"taskId" to be a UUID'],
  ])("%s", (line, problem) => {
    const parsed = (): unknown => parseStdinStreamCommand(line, 3);
    expect(parsed).toThrow(StdinCommandError);
    expect(parsed).toThrow(/^stdin command line 3: /);
    expect(parsed).toThrow(problem);
  });
});

test("any line gives a command or a StdinCommandError", () => {
  const field = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.string()), fc.object());
  const malformed = fc
    .record(
      {
        command: fc.oneof(fc.constantFrom(...STDIN_COMMANDS), fc.string()),
        requestId: field,
        prompt: field,
        images: field,
        taskId: field,
        askId: field,
        configuration: field,
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json(), malformed), fc.nat(), (line, lineNo) => {
      try {
        expect(STDIN_COMMANDS).toContain(parseStdinStreamCommand(line, lineNo).command);
      } catch (error) {
        expect(error).toBeInstanceOf(StdinCommandError);
        expect(String(error)).toContain(`stdin command line ${lineNo}: `);
      }
    }),
    { numRuns: 500 },
  );
});
