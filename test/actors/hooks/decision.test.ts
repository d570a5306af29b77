import { describe, expect, test } from "vitest";
import { checkDecision } from "../../../actors/hooks/decision.ts";
import { ToolError } from "../../../tools/index.ts";

const errorOf = (returned: unknown): string => {
  try {
    checkDecision(returned);
  } catch (error) {
    return error instanceof ToolError ? `${error.code} ${error.message}` : `no ToolError: ${String(error)}`;
  }
  return "no error";
};

describe("A decision of a hook", () => {
  test.each([
    [undefined, { kind: "allow" }],
    [{}, { kind: "allow" }],
    [{ decision: "allow", reason: "fine" }, { kind: "allow" }],
    [
      { decision: "deny", reason: "no" },
      { kind: "deny", reason: "no" },
    ],
    [{ decision: "deny" }, { kind: "deny", reason: "it gave no reason." }],
    [
      { decision: "ask", reason: " " },
      { kind: "ask", reason: "it gave no reason." },
    ],
    [
      { decision: "amend", arguments: { path: "a" }, context: "Look." },
      { kind: "amend", input: { path: "a" }, context: "Look." },
    ],
    [
      { decision: "replace", result: "a\ud800", context: "Look." },
      { kind: "replace", text: "a\ufffd", context: "Look." },
    ],
    [
      { decision: "replace", result: "" },
      { kind: "replace", text: "" },
    ],
    [{ context: " \n" }, { kind: "allow" }],
    [
      { decision: "deny", reason: "\u001b[31mno\u001b[0m", context: "10 %\r100 %" },
      { kind: "deny", reason: "no", context: "100 %" },
    ],
    [
      { decision: "deny", reason: "a\ud800" },
      { kind: "deny", reason: "a\ufffd" },
    ],
  ])("%j is understood", (returned, decision) => {
    expect(checkDecision(returned)).toEqual(decision);
  });

  test.each([
    [null, "HOOK_INVALID expected a decision, received null: "],
    ["deny", "HOOK_INVALID expected a decision, received a string: "],
    [{ decision: "denied" }, "HOOK_INVALID expected a decision, received an object: decision "],
    [
      { verdict: "deny" },
      'HOOK_INVALID expected a decision, received an object: Unrecognized key: "verdict"',
    ],
    [{ decision: "deny", reason: 5 }, "HOOK_INVALID expected a decision, received an object: reason "],
    [{ decision: "amend" }, "HOOK_INVALID expected arguments with the decision amend, received none."],
    [
      { arguments: {} },
      "HOOK_INVALID expected arguments with the decision amend only, received them with allow.",
    ],
    [
      { decision: "amend", arguments: [] },
      "HOOK_INVALID expected a decision, received an object: arguments ",
    ],
    [{ decision: "replace" }, "HOOK_INVALID expected a result with the decision replace, received none."],
    [{ decision: "replace", result: 5 }, "HOOK_INVALID expected a decision, received an object: result "],
    [
      { result: "x" },
      "HOOK_INVALID expected a result with the decision replace only, received it with allow.",
    ],
    [
      { decision: "replace", result: "é".repeat(100_001) },
      "HOOK_INVALID result: expected at most 200000 bytes, received 200002.",
    ],
    [
      { decision: "deny", reason: "x".repeat(1_001) },
      "HOOK_INVALID reason: expected at most 1000 characters, received 1001.",
    ],
    [
      { context: "x".repeat(20_001) },
      "HOOK_INVALID context: expected at most 20000 characters, received 20001.",
    ],
    [
      { decision: "amend", arguments: { text: "x".repeat(1_000_000) } },
      "HOOK_INVALID expected at most 1000000 bytes of arguments as JSON, received 1000011.",
    ],
  ])("%j is an error, which says what was expected and what came", (returned, message) => {
    expect(errorOf(returned)).toContain(message);
  });

  test("takes a copy of the arguments, of JSON only", () => {
    const given = { list: [1], gone: undefined };
    const decision = checkDecision({ decision: "amend", arguments: given });
    given.list.push(2);
    expect(decision).toEqual({ kind: "amend", input: { list: [1] } });
  });
});
