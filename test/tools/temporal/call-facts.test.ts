import { expect, test } from "vitest";
import { callFacts } from "../../../tools/temporal/call-facts.ts";

test.each([
  ["read_file", { files: [{ path: "a" }, { path: "./b/../c" }] }, { effect: "reads", paths: ["a", "c"] }],
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

test("arguments that can be compared are short texts, numbers and booleans, and lists of them alone", () => {
  const input = {
    customer: "ann",
    order: 7,
    urgent: false,
    names: ["a", 1, "a"],
    empty: [],
    mixed: ["a", { b: 1 }],
    nothing: null,
    address: { city: "x" },
    long: "x".repeat(1_001),
    __proto__: null,
  };
  expect(callFacts("refund", input).arguments).toEqual({
    customer: ["ann"],
    order: ["7"],
    urgent: ["false"],
    names: ["a", "1"],
  });
  const many = Array.from({ length: 1_001 }, (_, index) => index);
  expect(callFacts("refund", { many }).arguments).toBeUndefined();
});
