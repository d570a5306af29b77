import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallVerdict, ResponseVerdict, ResultVerdict } from "../../../control/verdict.ts";
import { type PolicyEvent, VERDICTS } from "../../../tools/temporal/event.ts";
import type { EventPattern } from "../../../tools/temporal/formula.ts";
import { TemporalError } from "../../../tools/temporal/index.ts";
import { compilePattern } from "../../../tools/temporal/pattern.ts";
import { runs } from "./arbitraries.ts";

const started = { kind: "call.started", tool: "execute_command", effect: "executes" } as const;
const matched = (pattern: EventPattern, event: PolicyEvent) =>
  (["may", "must"] as const).filter((how) => compilePattern(pattern, how)(event, undefined)).join(" ");

test("all fields of a pattern must match, and one value of a list", () => {
  expect(matched({}, started)).toBe("may must");
  expect(matched({ event: "call.started", effect: ["reads", "executes"] }, started)).toBe("may must");
  expect(matched({ event: "call.started", effect: "reads" }, started)).toBe("");
  expect(matched({ tool: "execute_*" }, started)).toBe("may must");
  expect(matched({ tool: "execute" }, started)).toBe("");
  expect(matched({ tool: "execute_command" }, started)).toBe("may must");
  expect(matched({ tool: ["read_file", "execute_command"] }, started)).toBe("may must");
  expect(matched({ tool: "exit_*" }, started)).toBe("");
  expect(matched({ mode: "code" }, { kind: "mode", mode: "code" })).toBe("may must");
  expect(matched({ mode: "code" }, { kind: "mode", mode: "ask" })).toBe("");
});

test("a value that must match also may", () => {
  const patterns: readonly EventPattern[] = [
    { path: ["src/**", "a"] },
    { host: ["*.b.org", "c.org"] },
    { command: ["npm test *", "cat *"] },
    { effect: "writes", by: "person", outcome: ["done", "failed"] },
  ];
  const events = fc.record(
    {
      kind: fc.constantFrom("call.started", "call.ended", "request"),
      effect: fc.constantFrom("reads", "writes"),
      paths: fc.subarray(["src", "src/a", "a", "a/b", "SRC/a", "b", "."]),
      hosts: fc.subarray(["a.b.org", "b.org", "c.org", "not a host"]),
      command: fc.constantFrom(
        "",
        "npm test a",
        "sh -c 'npm test'",
        "cat a && npm test",
        "$X",
        "ls",
        "cat src/a",
      ),
      by: fc.constantFrom("person", "policy"),
      outcome: fc.constantFrom("done", "denied"),
    },
    { requiredKeys: ["kind"] },
  );
  fc.assert(
    fc.property(fc.constantFrom(...patterns), events, (pattern, event) => matched(pattern, event) !== "must"),
    { numRuns: runs(2_000) },
  );
});

test("a command may run behind a wrapper, and must run alone", () => {
  const run = (command: string) => matched({ command: "npm test *" }, { ...started, command });
  expect(run("npm test")).toBe("may must");
  expect(run("npm test -- a && npm test b")).toBe("may must");
  expect(run("npm test || true")).toBe("may");
  expect(run("sh -c 'npm test'")).toBe("may");
  expect(run("$RUN")).toBe("may");
  expect(run("ls")).toBe("");
  expect(matched({ command: "npm test *" }, started)).toBe("");
});

test("a path may be one of several or a word of a command line, and must be all of them", () => {
  const read = (paths: readonly string[]) => matched({ path: "src/**" }, { kind: "call.started", paths });
  expect(read(["src/a.ts"])).toBe("may must");
  expect(read(["src/a.ts", "README.md"])).toBe("may");
  expect(read(["SRC/a.ts"])).toBe("may");
  expect(read([])).toBe("");
  const secret = (command: string) => matched({ path: ".env" }, { ...started, command });
  expect(secret("cat .env")).toBe("may");
  expect(secret("git show HEAD:.env")).toBe("may");
  expect(secret("cat /home/me/project/.env")).toBe("may");
  expect(secret("cat env")).toBe("");
});

test("a host may be one of several or not a host, and must be all of them", () => {
  const fetched = (hosts: readonly string[]) => matched({ host: "*.example.com" }, { ...started, hosts });
  expect(fetched(["a.example.com"])).toBe("may must");
  expect(fetched(["a.example.com", "b.org"])).toBe("may");
  expect(fetched(["not a host"])).toBe("may");
  expect(fetched(["b.org"])).toBe("");
  expect(fetched([])).toBe("");
});

test("a host that a command line names may match, alone or in a URL, but any host does not", () => {
  const run = (command: string, host = "*.example.com") => matched({ host }, { ...started, command });
  expect(run("curl -s http://a.example.com:8080/x?y")).toBe("may");
  expect(run("ssh me@a.example.com ls")).toBe("may");
  expect(run("sh -c 'curl https://a.example.com'")).toBe("may");
  expect(run("curl https://b.org")).toBe("");
  expect(run("cat a.txt", "*")).toBe("");
});

test("a value that a log omits may match, and never must", () => {
  expect(matched({ by: "person" }, started)).toBe("may");
  expect(matched({ by: "person" }, { ...started, by: "policy" })).toBe("");
  expect(matched({ by: "person" }, { kind: "request" })).toBe("");
  expect(matched({ outcome: "done" }, { kind: "call.ended" })).toBe("may");
  expect(matched({ outcome: "done" }, { kind: "call.ended", outcome: "done" })).toBe("may must");
  expect(matched({ outcome: "done" }, started)).toBe("");
  expect(matched({ effect: "reads" }, { kind: "call.ended" })).toBe("may");
  expect(matched({ effect: "reads" }, { kind: "request" })).toBe("");
});

test("an argument may have one of several values, and must have no other; a missing one matches nothing", () => {
  const called = (values: NonNullable<PolicyEvent["arguments"]>, notCompared: readonly string[] = []) =>
    matched({ argument: { branch: ["main", "release/*"] } }, { ...started, arguments: values, notCompared });
  expect(called({ branch: ["main"] })).toBe("may must");
  expect(called({ branch: ["release/1"] })).toBe("may must");
  expect(called({ branch: ["main", "topic"] })).toBe("may");
  expect(called({ branch: ["topic"] })).toBe("");
  expect(called({ branch: [] })).toBe("");
  expect(called({})).toBe("");
  expect(called({ other: ["main"] })).toBe("");
  expect(matched({ argument: { toString: "*" } }, { ...started, arguments: {} })).toBe("");
  expect(matched({ argument: { branch: "*" } }, { kind: "request" })).toBe("");
  expect(called({}, ["branch"])).toBe("may");
  expect(called({ branch: ["main"] }, ["branch"])).toBe("may");
  expect(called({}, ["other"])).toBe("");
});

test("all named arguments must match, nested ones by dotted names, and numbers and booleans as texts", () => {
  const pattern = { argument: { "options.force": true, count: [1, 2], encoding: "utf8" } };
  const given = { "options.force": ["true"], count: ["2"], encoding: ["utf8"] };
  expect(matched(pattern, { ...started, arguments: given })).toBe("may must");
  for (const other of [{ "options.force": ["false"] }, { count: ["3"] }, { encoding: ["UTF8"] }])
    expect(matched(pattern, { ...started, arguments: { ...given, ...other } })).toBe("");
});

test.each([
  ["a*", ["a", "ab"], ["ba", ""]],
  ["*a", ["a", "ba"], ["ab"]],
  ["a*a", ["aa", "aba"], ["a", "ab"]],
  ["a*b*c", ["abc", "a-b-c", "a-b-bc-c"], ["ac", "acb", "abcd"]],
  ["*ab*b", ["abb", "x-ab-b"], ["ab", "abc"]],
  ["*", ["", "a"], []],
  ["a?c", ["a?c"], ["abc"]],
])("in the text of an argument a * matches any characters: %s", (pattern, matching, others) => {
  const one = (value: string) =>
    matched({ argument: { x: pattern } }, { ...started, arguments: { x: [value] } });
  expect(matching.map(one)).toEqual(matching.map(() => "may must"));
  expect(others.map(one)).toEqual(others.map(() => ""));
});

test("a score must be over the given one, and a missing one matches nothing", () => {
  const scored = (scores: NonNullable<PolicyEvent["scores"]>) =>
    matched({ score: { trusted: { over: 0.5 } } }, { kind: "call.judged", scores });
  expect(scored({ trusted: 0.51 })).toBe("may must");
  expect(scored({ trusted: 0.5 })).toBe("");
  expect(scored({ other: 1 })).toBe("");
  expect(matched({ score: { trusted: { over: 0 } } }, started)).toBe("");
  const both = { score: { one: { over: 0.1 }, two: { over: 0.2 } } };
  expect(matched(both, { ...started, scores: { one: 0.2, two: 0.3 } })).toBe("may must");
  expect(matched(both, { ...started, scores: { one: 0.2, two: 0.1 } })).toBe("");
});

test("a verdict and an author match the decision of the protocol, and nothing without one", () => {
  const denied = { verdict: ["deny", "audit"], author: "untrusted" } as const;
  const judged = { kind: "call.judged", verdict: "deny", author: "untrusted" } as const;
  expect(matched(denied, judged)).toBe("may must");
  expect(matched(denied, { ...judged, verdict: "pass" })).toBe("");
  expect(matched(denied, { ...judged, author: "trusted" })).toBe("");
  expect(matched({ verdict: "deny" }, started)).toBe("");
  expect(matched({ author: "untrusted" }, started)).toBe("");
});

test("a call that is judged may have any unknown effect, and no approver", () => {
  for (const kind of ["call.judged", "result.judged"] as const) {
    expect(matched({ effect: "writes" }, { kind })).toBe("may");
    expect(matched({ by: "person" }, { kind })).toBe("");
  }
  expect(matched({ effect: "writes" }, { kind: "response.judged" })).toBe("");
});

test("a policy can name each verdict of a protocol, and no other", () => {
  type Verdict = (ResponseVerdict | CallVerdict | ResultVerdict)["kind"];
  const all: Record<Verdict, true> = {
    pass: true,
    deny: true,
    modify: true,
    replace: true,
    resample: true,
    audit: true,
    shutDown: true,
  };
  expect([...VERDICTS]).toEqual(Object.keys(all));
});

test.each([
  [{ path: "../a" }, "a glob relative to the workspace"],
  [{ host: "http://a" }, "a host such as"],
  [{ command: "a && b" }, "the words of one command"],
  [{ argument: {} }, "the name of an argument, received 'none'"],
  [{ score: {} }, "the name of a monitor, received 'none'"],
  [
    { score: { trusted: { over: 1 } } },
    "trusted: { over: SCORE } with a score from 0 to below 1, received '1'",
  ],
  [{ score: { trusted: { over: -0.1 } } }, "from 0 to below 1, received '-0.1'"],
  [{ score: { trusted: { over: Number.NaN } } }, "from 0 to below 1, received 'NaN'"],
] as const)("a pattern that is not valid is refused: %o", (pattern, expected) => {
  const compile = () => compilePattern(pattern, "may");
  expect(compile).toThrow(TemporalError);
  expect(compile).toThrow(expected);
});

test("a path with a root of its own may be one of the workspace, and a command may use any", () => {
  const reads = (command: string, ...paths: readonly string[]) =>
    matched({ path: ".env" }, { ...started, command, paths });
  for (const path of ["/.env", "~/.env", "//.env"]) expect(reads(`cat ${path}`)).toBe("may");
  expect(reads("true", ".env")).toBe("may");
  expect(matched({ path: ".env" }, { kind: "call.started", paths: [".env"] })).toBe("may must");
});

test("a host is one of several", () => {
  const asks = (...hosts: readonly string[]) =>
    matched({ host: ["a.org", "b.org"] }, { kind: "call.started", hosts });
  expect(asks("a.org")).toBe("may must");
  expect(asks("a.org", "b.org")).toBe("may must");
  expect(asks("a.org", "c.org")).toBe("may");
});
