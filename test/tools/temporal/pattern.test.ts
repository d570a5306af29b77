import fc from "fast-check";
import { expect, test } from "vitest";
import type { PolicyEvent } from "../../../tools/temporal/event.ts";
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

test.each([
  [{ path: "../a" }, "a glob relative to the workspace"],
  [{ host: "http://a" }, "a host such as"],
  [{ command: "a && b" }, "the words of one command"],
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
