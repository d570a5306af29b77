import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isOfOwnership } from "../../cli/verify/job.ts";
import { SHIPPED_POLICIES } from "../../tools/temporal/index.ts";
import { createCase } from "../../verify/index.ts";
import { OWNERSHIP_CASES } from "../../verify/ownership/cases.ts";
import { Process, temporaryFolder } from "./process.ts";
import { type Transpiled, transpile } from "./transpiled.ts";

const MODULES = fileURLToPath(new URL("../../node_modules", import.meta.url));
/** A process of vitest beside others takes its time. */
const SLOW_MS = 120_000;

const folder = temporaryFolder();
let built: Transpiled;
/** Somebody's project, with the package and vitest installed. */
const project = path.join(folder.path, "project");
const inProject = (name: string): string => path.join(project, name);

/** Takes the ask after a failed request out of the installed machine; gives what puts it back. */
function breakMachine(): () => void {
  const file = path.join(built.dir, "dist/machines/task/request.js");
  const whole = readFileSync(file, "utf8");
  const broken = whole.replace(/(function askAboutFailure\(change\) \{)/, "$1 return;");
  expect(broken).not.toBe(whole);
  writeFileSync(file, broken);
  return () => writeFileSync(file, whole);
}

async function run(file: string, ...args: readonly string[]) {
  const process = new Process(file, args, { cwd: project });
  return { code: await process.end(), said: `${process.stdout}${process.stderr}` };
}
const signalbox = (...args: readonly string[]) => run(built.bin, ...args);
const vitest = (file: string) => run(path.join(MODULES, "vitest/vitest.mjs"), "run", "--root", project, file);

beforeAll(async () => {
  built = transpile();
  mkdirSync(inProject("node_modules"), { recursive: true });
  symlinkSync(built.dir, inProject("node_modules/signalbox"));
  symlinkSync(path.join(MODULES, "vitest"), inProject("node_modules/vitest"));
  writeFileSync(inProject("package.json"), '{"type":"module"}\n');
  const mend = breakMachine();
  const bounds = ["--calls", "0", "--tools", "read"];
  const emits = [
    "--emit-test",
    "found.test.ts",
    "--emit-journal",
    "found.jsonl",
    "--emit-diagram",
    "found.mmd",
  ];
  const { code, said } = await signalbox("verify", ...bounds, ...emits);
  mend();
  expect(said).toContain("L1: the machine is idle (idle.failed), its log derives running");
  expect(code).toBe(1);
}, SLOW_MS);
afterAll(() => {
  built.remove();
  folder.remove();
});

describe("a counterexample that was written to files", () => {
  test(
    "is a test that vitest runs: it fails on the faulty machine, and passes once that is mended",
    async () => {
      const mend = breakMachine();
      const failed = await vitest("found.test.ts");
      mend();
      expect(failed.said).toContain("L1: the machine is idle (idle.failed), its log derives running");
      expect(failed.said).toMatch(/Tests +1 failed/);
      expect(failed.code).toBe(1);
      const passed = await vitest("found.test.ts");
      expect(passed.said).toMatch(/Tests +1 passed/);
      expect(passed.code).toBe(0);
    },
    SLOW_MS,
  );

  test("is a journal that show opens like any other", async () => {
    const task = inProject("data/tasks/explored");
    mkdirSync(task, { recursive: true });
    writeFileSync(path.join(task, "journal.jsonl"), readFileSync(inProject("found.jsonl")));
    const { code, said } = await signalbox("show", "explored", "--data-dir", inProject("data"));
    expect(said).toMatch(/^Task explored$/m);
    expect(said).toMatch(/^Records +0 to 3$/m);
    expect(said).toMatch(/^> go to @a$/m);
    expect(code).toBe(0);
  });

  test("is a journal in which verify --log finds the fault again", async () => {
    const { code, said } = await signalbox("verify", "--log", "found.jsonl");
    expect(said).toContain("found.jsonl: journal, 4 records, 1 violation.\n  L1  record 3:");
    expect(code).toBe(1);
  });

  test("is a mermaid diagram: its type, the task, and lines of messages and notes only", () => {
    const [type, first, ...lines] = readFileSync(inProject("found.mmd"), "utf8").trimEnd().split("\n");
    expect(type).toBe("sequenceDiagram");
    expect(first).toBe("  participant task");
    const message = /^ {2}(\w+)(?:->>|--x)(\w+): \S/;
    const ends = lines.flatMap((line) => message.exec(line)?.slice(1) ?? []);
    expect([...new Set(ends)].sort()).toEqual(["context", "opening", "task", "user"]);
    // What mermaid would take for the end of a statement is written as its number.
    const isLine = (line: string) => message.test(line) || line.startsWith("  Note over task: ");
    expect(lines.filter((line) => !isLine(line) || /(?<!#\d+);/.test(line))).toEqual([]);
  });
});

describe("explorations in threads", () => {
  test("give the same states, steps, transitions and verdicts as in one thread, in the same order", async () => {
    const there = (file: string): string => pathToFileURL(path.join(built.dir, "dist", file)).href;
    const { exploreAll }: typeof import("../../cli/verify/explorations.ts") = await import(
      there("cli/verify/explorations.js")
    );
    const { taskMachine }: typeof import("../../machines/index.ts") = await import(
      there("machines/index.js")
    );
    const one = (name: string, ...[options]: Parameters<typeof createCase>) => createCase(options, name);
    const cases = [
      one("no call", { calls: 0 }),
      one("a crash", { calls: 0, crashes: 1 }),
      one("a read, cut", { calls: 1, tools: ["read"], queued: 1 }),
    ];
    const [ownership] = OWNERSHIP_CASES;
    if (ownership === undefined) throw new Error("Expected an exploration of owners, got none.");
    const limits = { laws: undefined, maxStates: 120 };
    const jobs = [
      ...cases.map((one) => ({ ...limits, one, policies: SHIPPED_POLICIES, isEnforced: false })),
      { ...limits, ownership },
    ];
    const inThreads = await exploreAll(jobs, () => {});
    const inOne = await exploreAll(jobs, () => {}, { machine: taskMachine });
    const plain = (all: typeof inOne) => all.map(({ seconds: _, ...rest }) => rest);
    expect(plain(inThreads)).toEqual(plain(inOne));
    const names = [...cases.map(({ name }) => name), ownership.name];
    expect(inOne.map((done) => (isOfOwnership(done) ? done.ownership : done.one).name)).toEqual(names);
    const complete = inOne.map((done) => (isOfOwnership(done) ? done.isComplete : done.complete));
    expect(complete).toEqual([true, false, false, false]);
  });
});
