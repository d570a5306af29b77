import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { SettingsError } from "../../settings/index.ts";
import { parsePolicies, readPolicyFile } from "../../settings/policy-file.ts";
import {
  and,
  atMost,
  compilePolicies,
  each,
  event,
  historically,
  implies,
  not,
  once,
  or,
  previous,
  since,
} from "../../tools/temporal/index.ts";

const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (always: string): string =>
  `version: 1\npolicies:\n  - name: p\n    clauses:\n      - name: c\n        always: ${always}\n`;
const parse = async (always: string) =>
  (await parsePolicies(fileOf(always), "p.yaml"))[0]?.clauses[0]?.always;
const failure = async (always: string): Promise<string> => {
  const error: unknown = await parse(always).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SettingsError);
  return error instanceof SettingsError ? error.message : "";
};

test("a policy file has each formula as its combinator makes it", async () => {
  const request = event({ event: "request" });
  const all = [
    ["{ event: request }", request],
    [
      "{ event: [request, prompt], tool: read_*, by: person }",
      event({ event: ["request", "prompt"], tool: "read_*", by: "person" }),
    ],
    ["{ not: { event: request } }", not(request)],
    ["{ and: [{ event: request }, {}] }", and(request, event({}))],
    ["{ or: [{ event: request }] }", or(request)],
    ["{ implies: [{ event: request }, { mode: code }] }", implies(request, event({ mode: "code" }))],
    ["{ previous: { once: { historically: { event: request } } } }", previous(once(historically(request)))],
    [
      "{ since: [{ not: { event: request } }, { outcome: done }] }",
      since(not(request), event({ outcome: "done" })),
    ],
    ["{ atMost: { count: 3, of: { event: request } } }", atMost(3, request)],
    ["{ each: { same: path, of: { once: { same: path } } } }", each("path", once(event({ same: "path" })))],
    [
      "{ argument: { encoding: utf8, options.force: true, count: [1, 2] } }",
      event({ argument: { encoding: "utf8", "options.force": true, count: [1, 2] } }),
    ],
    [
      "{ event: call.judged, verdict: [deny, audit], author: untrusted, score: { trusted: { over: 0.8 } } }",
      event({
        event: "call.judged",
        verdict: ["deny", "audit"],
        author: "untrusted",
        score: { trusted: { over: 0.8 } },
      }),
    ],
    [
      "{ each: { same: argument.customer, of: { same: argument.customer } } }",
      each("argument.customer", event({ same: "argument.customer" })),
    ],
  ] as const;
  for (const [text, formula] of all) {
    const parsed = await parse(text);
    expect(parsed).toEqual(formula);
    expect(
      compilePolicies([{ name: "p", clauses: [{ name: "c", always: parsed ?? {} }] }]).start().length,
    ).toBe(0);
  }
});

test.each([
  ["[a]", "p.yaml:6:9: policies.0.clauses.0.always: expected a formula"],
  ["{ evnt: request }", "p.yaml:6:19: policies.0.clauses.0.always.evnt: expected one of not, and"],
  [
    "{ event: reqest }",
    "p.yaml:6:19: policies.0.clauses.0.always.event: expected one or several of prompt, request",
  ],
  [
    "{ not: { event: request }, or: [] }",
    "p.yaml:6:44: policies.0.clauses.0.always.or: expected nothing beside not",
  ],
  [
    "{ since: [{ event: request }] }",
    "p.yaml:6:19: policies.0.clauses.0.always.since: expected a list of two formulas, received a list of 1 entries",
  ],
  ["{ and: { event: request } }", "always.and: expected a list of at most 200 formulas"],
  [
    "{ atMost: { count: -1, of: {} } }",
    "always.atMost.count: expected a whole number from 0 to 1000000, received '-1'",
  ],
  ["{ atMost: { count: 1, of: {}, and: 1 } }", "always.atMost.and: expected one of count, of"],
  [
    "{ each: { same: file, of: {} } }",
    "always.each.same: expected path, host, tool, argument.NAME, received 'file'",
  ],
  [
    "{ each: { same: path, of: { each: { same: path, of: {} } } } }",
    "always.each.of.each: expected no each within each",
  ],
  ["{ same: path }", "always.same: expected it within each with same: path"],
  ["{ verdict: denied }", "always.verdict: expected one or several of pass, deny, modify"],
  ["{ author: model }", "always.author: expected author as in the reference of policies"],
  ["{ argument: utf8 }", "always.argument: expected texts, numbers or booleans by the names of arguments"],
  ["{ argument: { a: { b: 1 } } }", "always.argument: expected texts, numbers or booleans"],
  ["{ argument: {} }", "always.argument: expected the name of an argument, received 'none'"],
  ["{ score: { trusted: 0.8 } }", "always.score: expected { over: SCORE } by the names of monitors"],
  [
    "{ score: { trusted: { over: 80 } } }",
    "always.score: expected trusted: { over: SCORE } with a score from 0",
  ],
  ["{ path: ../a }", "always.path: expected a glob relative to the workspace"],
  ["{ command: a && b }", "always.command: expected the words of one command"],
] as const)("a formula that is not valid is refused with its line: %s", async (always, expected) => {
  expect(await failure(always)).toContain(expected);
});

test("a policy file that costs time or memory without bound is refused", async () => {
  const nested = (depth: number): string => `${"{ not: ".repeat(depth)}{}${" }".repeat(depth)}`;
  await expect(parse(nested(20))).resolves.toHaveProperty("not");
  expect(await failure(nested(40))).toContain("it is nested deeper than 32 levels");
  expect(await failure("&a { not: *a }")).toContain("anchors are not supported");
  const wide = `{ or: [${"{ event: request }, ".repeat(201)}] }`;
  expect(await failure(wide)).toContain(
    "expected a list of at most 200 formulas, received a list of 201 entries",
  );
  const list = `{ or: [${"{}, ".repeat(190)}] }`;
  const many = `{ or: [${`${list}, `.repeat(20)}] }`;
  const problems = await failure(many);
  expect(problems).toContain("expected at most 2000 subformulas");
  expect(problems.split("\n")).toHaveLength(1);
});

test("a file of policies is read, and a missing one is reported", async () => {
  const file = path.join(folder, "p.yaml");
  writeFileSync(file, fileOf("{ not: { mode: code } }"));
  expect(await readPolicyFile(file)).toEqual([
    { name: "p", clauses: [{ name: "c", always: not(event({ mode: "code" })) }] },
  ]);
  const missing = path.join(folder, "none.yaml");
  await expect(readPolicyFile(missing)).rejects.toThrow(
    `${missing}: expected a file of policies, received none.`,
  );
});
