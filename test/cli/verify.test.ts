import { EventEmitter } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type VerifyFlags, verify } from "../../cli/commands/verify.ts";
import { main } from "../../cli/main.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { decodeLine } from "../../store/journal/line.ts";
import { parseRecord } from "../../wire/journal/parse-record.ts";
import { wrapLines } from "../support/summary.ts";
import { silentIo } from "./in-process.ts";

const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const inFolder = (name: string): string => path.join(folder, name);

const said = (stream: PassThrough): string => String(stream.read() ?? "");

async function signalbox(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const io = Object.assign(new EventEmitter(), {
    stdin: new PassThrough().end(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {},
  });
  const code = await main(args, io);
  return { code, stdout: said(io.stdout), stderr: said(io.stderr) };
}

/** The command over a machine whose ask after a failed request was taken out. */
async function verifyFaulty(flags: Partial<VerifyFlags>): Promise<{ code: number; stdout: string }> {
  const io = silentIo();
  const machine = taskMachine.provide({ actions: { askAboutFailure: () => {} } });
  const code = await verify({ format: "text", calls: 0, ...flags }, io, machine);
  return { code, stdout: said(io.stdout) };
}

const SMALL = ["verify", "--calls", "0", "--tools", "read"];

describe("signalbox verify", () => {
  test("prints each law with its verdict, the bounds, and the explored size; exit code 0", async () => {
    const { code, stdout, stderr } = await signalbox(...SMALL);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^L1 +the machine's state is the state that its log derives +\d+ +\d+ {2}holds +machine$/m,
    );
    expect(stdout).toMatch(/^L13 +from every state some events lead to idle +\d+ +holds +machine$/m);
    // No explored task has a protocol.
    expect(stdout).toMatch(/^CONTROL .* holds +no part$/m);
    expect(stdout).toContain("turns 1, calls 0, blocks 1, queued 0, interruptions 0, crashes 0; tools read");
    expect(stdout).toMatch(/\d+ states, \d+ steps, depth \d+, [\d.]+ s, \d+ states a second: complete/);
  });

  test("--law checks only that law, and --format json is one value with the same figures", async () => {
    const { code, stdout } = await signalbox(...SMALL, "--law", "L8", "--format", "json");
    const report = z
      .object({ complete: z.boolean(), laws: z.array(z.object({ id: z.string(), verdict: z.string() })) })
      .parse(JSON.parse(stdout));
    expect(code).toBe(0);
    expect(report.laws).toEqual([
      { id: "L8", verdict: "holds" },
      { id: "L8", verdict: "holds" },
    ]);
  });

  test("--max-states stops it there: the verdict has it, and the exit code is 0", async () => {
    const asked = [...SMALL, "--max-states", "20"];
    const { code, stdout } = await signalbox(...asked);
    expect(code).toBe(0);
    expect(stdout).toContain("holds as far as it went");
    expect(stdout).toMatch(/: cut$/m);
  });

  test("--races prints every pair of racing events, with the state of each order", async () => {
    const { code, stdout } = await signalbox(...SMALL, "--races", "--max-states", "200", "--format", "json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ type: "races", violations: [] });
  });

  test.each([
    [["--law", "L99"], 'unknown law "L99"'],
    [["--tools", "read,hammer"], 'unknown tool "hammer"'],
    [["--turns", "-1"], "Expected a whole number from 0 to 999999."],
    [["--emit-test", "package.json"], "package.json already exists"],
  ])("%j is refused with what is good", async (args, words) => {
    const { code, stdout, stderr } = await signalbox("verify", ...args);
    expect(code).toBe(1);
    expect(stderr).toContain(words);
    expect(stdout).toBe("");
  });
});

describe("a counterexample of signalbox verify", () => {
  test("is a shortest trace, and the exit code is 1", async () => {
    const { code, stdout } = await verifyFaulty({});
    expect(code).toBe(1);
    expect(stdout).toMatch(/^L1 .*broken +machine$/m);
    const trace = readFileSync("test/traces/counterexample.txt", "utf8");
    expect(wrapLines(stdout)).toContain(`shortest counterexample:\n${trace}`);
  });

  test("is a journal with the records of such a task", async () => {
    const file = inFolder("found.jsonl");
    await verifyFaulty({ emitJournal: file });
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const records = lines.map((line) => {
      const decoded = decodeLine(Buffer.from(line));
      return decoded.whole ? parseRecord(decoded.json) : decoded.reason;
    });
    expect(records).toMatchObject([
      { data: { kind: "header" } },
      { data: { kind: "commit", after: "running.starting" } },
      { data: { kind: "commit", after: "streaming.preparing" } },
      { data: { kind: "commit", before: "streaming.preparing", after: "idle.failed" } },
    ]);
  });

  test("is a mermaid sequence diagram", async () => {
    const file = inFolder("found.mmd");
    await verifyFaulty({ emitDiagram: file });
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(/^sequenceDiagram\n/);
    expect(text).toContain("  user->>task: task.start");
    expect(text).toContain("  task->>opening: start opening");
    expect(text).toContain("  context->>task: context.failed");
    expect(text).toContain(
      "  Note over task: L1: the machine is idle (idle.failed), its log derives running",
    );
  });

  test("is a test file that replays the path", async () => {
    const file = inFolder("found.test.ts");
    await verifyFaulty({ emitTest: file });
    expect(readFileSync(file, "utf8")).toMatchInlineSnapshot(`
      "import { taskMachine } from "signalbox/machines";
      import { ALL_LAWS, violationsOn, type PathEvent } from "signalbox/verify";
      import { expect, test } from "vitest";

      const path: readonly PathEvent[] = [
        {"type":"task.start","at":1,"text":"go to @a","images":[]},
        {"type":"task.opened","at":2},
        {"type":"context.failed","at":3,"requestId":2,"message":"no context"},
      ];

      test("L1: the machine is idle (idle.failed), its log derives running", () => {
        expect(violationsOn(path, taskMachine, ALL_LAWS, {"limits":{"retries":1,"pauses":1},"completion":"tool"})).toEqual([]);
      });
      "
    `);
  });

  test("is written to new files only", async () => {
    const file = inFolder("mine.txt");
    writeFileSync(file, "mine");
    await expect(verifyFaulty({ emitJournal: file })).rejects.toThrow("already exists");
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(existsSync(inFolder("other.txt"))).toBe(false);
  });
});

describe("signalbox verify --policy", () => {
  const policyFile = (name: string, clauses: Readonly<Record<string, string>>): string => {
    const file = inFolder(`${name}.yaml`);
    const lines = Object.entries(clauses).map(([clause, always]) => `{ name: ${clause}, always: ${always} }`);
    writeFileSync(file, `version: 1\npolicies: [{ name: ${name}, clauses: [${lines.join(", ")}] }]`);
    return file;
  };
  const WITH_CALLS = ["verify", "--tools", "read,write", "--law", "L8"];

  test("verifies what the machine keeps, as a law of each clause", async () => {
    const file = policyFile("order", {
      "requested first": "{ implies: [{ event: call.started }, { once: { event: request } }] }",
      "started first":
        "{ implies: [{ event: call.ended, outcome: [done, failed] }, { each: { same: tool, of: { once: { event: call.started, same: tool } } } }] }",
    });
    const { code, stdout } = await signalbox(...WITH_CALLS, "--crashes", "1", "--policy", file);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^order +requested first +\d+ +\d+ {2}holds +policies$/m);
    expect(stdout).toMatch(/^order +started first +\d+ +\d+ {2}holds +policies$/m);
  });

  test("explores a task that has the policies: they deny what would break them", async () => {
    const file = policyFile("enforced", {
      "a person permits writes": "{ implies: [{ event: call.started, effect: writes }, { by: person }] }",
      "one call": "{ atMost: { count: 1, of: { event: call.started } } }",
    });
    const options = [...WITH_CALLS, "--turns", "2", "--crashes", "1", "--policy", file];
    const { code, stdout } = await signalbox(...options);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^enforced +a person permits writes +\d+ +\d+ {2}holds +policies$/m);
    expect(stdout).toMatch(/^enforced +one call +\d+ +\d+ {2}holds +policies$/m);
    expect(stdout).toContain("policies over time judge");
    expect((await signalbox(...options, "--bare")).code).toBe(1);
  });

  test("reports what a clause tests that no explored call has", async () => {
    const file = policyFile("vacuous", {
      reads: "{ implies: [{ effect: writes }, { each: { same: path, of: { once: { same: path } } } }] }",
      customers:
        "{ implies: [{ event: mode }, { each: { same: argument.id, of: { once: { same: argument.id } } } }] }",
      runs: "{ atMost: { count: 1, of: { tool: [execute_command, write], command: rm * } } }",
      writes: "{ atMost: { count: 9, of: { tool: [wr*, read], effect: writes } } }",
    });
    const { code, stdout } = await signalbox(...WITH_CALLS, "--policy", file, "--bare");
    expect(code).toBe(0);
    expect(stdout.split("\n").filter((line) => line.startsWith("vacuous, "))).toEqual([
      "vacuous, reads: explored calls have no path, so the verdict says nothing about it. Check recorded logs: --log FILE.",
      "vacuous, customers: explored calls have no argument.id, so the verdict says nothing about it. Check recorded logs: --log FILE.",
      "vacuous, runs: explored calls have no command, tool execute_command, so the verdict says nothing about it. Check recorded logs: --log FILE.",
    ]);
  });

  test("gives a counterexample of what the policies cannot prevent: they judge starts only", async () => {
    const file = policyFile("ends", {
      "no call fails": "{ not: { event: call.ended, outcome: failed } }",
    });
    const { code, stdout } = await signalbox(...WITH_CALLS, "--policy", file);
    expect(code).toBe(1);
    expect(stdout).toContain("ends: clause no call fails of policy ends; got: call.ended");
  });

  test("with --bare gives a counterexample of what the machine does not keep, with the clause and the call", async () => {
    const by = "{ implies: [{ event: call.started, effect: writes }, { by: person }] }";
    const file = policyFile("careful", { reads: "{ not: { event: mode } }", "a person permits writes": by });
    const journal = inFolder("careful.jsonl");
    const bare = [...WITH_CALLS, "--policy", file, "--bare"];
    const { code, stdout } = await signalbox(...bare, "--emit-journal", journal);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^careful +a person permits writes +\d+ +\d+ {2}broken +no part$/m);
    expect(stdout).toContain(
      "careful: clause a person permits writes of policy careful; got: call.started write\ntask.start",
    );
    expect(stdout).toContain("decided 2/t0 by r");
    const log = await signalbox("verify", "--log", journal, "--policy", file);
    expect(log.stdout).toContain("careful: a person permits writes; got: call.started");
    expect(log.code).toBe(1);
  });

  test("knows what happened in states that are the same without it", async () => {
    const file = policyFile("few", {
      "two calls": "{ atMost: { count: 2, of: { event: call.started } } }",
    });
    const { code, stdout } = await signalbox(...WITH_CALLS, "--turns", "any", "--policy", file, "--bare");
    expect(code).toBe(1);
    expect(stdout).toContain("few: clause two calls of policy few; got: call.started");
    expect(stdout.match(/^ {4}start tool /gm)).toHaveLength(3);
  });

  test.each([
    [["--policy", "rule-of-three"], "expected a file .yaml, .yml or .json, or one of rule-of-two"],
    [["--policy", "rule-of-two", "--races"], "'--policy <name|file>' cannot be used with option '--races'"],
    [["--policy", "rule-of-two", "--emit-test", "a.ts"], "cannot be used with option '--emit-test <file>'"],
    [["--bare"], "--bare requires --policy. Add --policy NAME|FILE."],
    [["--log", "a.jsonl", "--bare"], "'--log <file>' cannot be used with option '--bare'"],
  ])("refuses %j", async (args, words) => {
    const { code, stderr } = await signalbox("verify", ...args);
    expect(stderr).toContain(words);
    expect(code).toBe(1);
  });
});
