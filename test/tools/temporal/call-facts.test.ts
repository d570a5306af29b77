import { expect, test } from "vitest";
import { callFacts } from "../../../tools/temporal/call-facts.ts";

test.each([
  [
    "read_file",
    { files: [{ path: "a" }, { path: "./b/../c" }] },
    { effect: "reads", paths: ["a", "c"], notCompared: ["files"] },
  ],
  ["Read", { file_path: "/w/src/a.ts" }, { effect: "reads", paths: ["src/a.ts"] }],
  ["Read", { file_path: "/other/a.ts" }, { effect: "reads", paths: ["/other/a.ts"] }],
  ["Edit", { file_path: "a", old_string: "x" }, { effect: "writes", paths: ["a"] }],
  [
    "apply_patch",
    { patch: "*** Update File: a.ts\n*** Move to: b.ts\n" },
    { effect: "writes", paths: ["a.ts", "b.ts"] },
  ],
  ["execute_command", { command: "npm test" }, { effect: "executes", command: "npm test" }],
  [
    "shell",
    { command: ["sh", "-c", "cat 'a b'"] },
    { effect: "executes", command: "sh -c 'cat '\\''a b'\\'''" },
  ],
  ["web_fetch", { url: "https://example.com:8080/a" }, { effect: "reads", hosts: ["example.com"] }],
  ["web_fetch", { url: "nothing" }, { effect: "reads", hosts: ["nothing"] }],
  ["server/tool", { path: "a" }, { paths: ["a"] }],
  ["new_task", { message: "go" }, { effect: "delegates" }],
] as const)("%s with %o has these facts", (tool, input, facts) => {
  const { arguments: _, ...found } = callFacts(tool, input, { workspace: "/w" });
  expect(found).toEqual({ tool, ...facts });
});

test("arguments that can be compared are short texts, numbers and booleans, and lists of them alone, also in objects", () => {
  const input = {
    customer: "ann",
    order: 7,
    urgent: false,
    names: ["a", 1, "a"],
    empty: [],
    mixed: ["a", { b: 1 }],
    nothing: null,
    address: { city: "x", lines: { first: 1 }, none: {} },
    "address.city": "y",
    long: "x".repeat(1_001),
    __proto__: null,
  };
  expect(callFacts("refund", input)).toMatchObject({
    arguments: {
      customer: ["ann"],
      order: ["7"],
      urgent: ["false"],
      names: ["a", "1"],
      "address.city": ["x", "y"],
      "address.lines.first": ["1"],
    },
    notCompared: ["mixed", "long"],
  });
  expect(Object.keys(callFacts("refund", input).arguments ?? {})).toHaveLength(6);
  const many = Array.from({ length: 1_001 }, (_, index) => index);
  expect(callFacts("refund", { many })).toEqual({ tool: "refund", notCompared: ["many"] });
});

test("an argument is not compared if its dotted name is longer than a policy can name, however deep it is nested", () => {
  let input: Record<string, unknown> = { leaf: "x" };
  for (let depth = 0; depth < 10_000; depth += 1) input = { a: input };
  expect(callFacts("refund", { ...input, b: { c: "y" } }).arguments).toEqual({ "b.c": ["y"] });
});
