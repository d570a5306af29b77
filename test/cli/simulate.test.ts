import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Writable } from "node:stream";
import { afterAll, describe, expect, it } from "vitest";
import { simulateTasks } from "../../cli/commands/simulate.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { decodeLine } from "../../store/journal/line.ts";
import { ALL_LAWS, type PathEvent, simulate, violationsOn } from "../../verify/index.ts";
import { parseRecord } from "../../wire/journal/parse-record.ts";

const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const inFolder = (name: string): string => path.join(folder, name);

function listener() {
  const heard = { said: "" };
  const stdout = new Writable({
    write: (piece, _encoding, done) => {
      heard.said += String(piece);
      done();
    },
  });
  const stderr = new Writable({ write: (_piece, _encoding, done) => done() });
  return { heard, io: { stdout, stderr } };
}

async function run(flags: Parameters<typeof simulateTasks>[0]): Promise<{ code: number; said: string }> {
  const { heard, io } = listener();
  return { code: await simulateTasks(flags, io), said: heard.said };
}

/** A machine whose ask after a failed request was taken out. */
const faulty = taskMachine.provide({ actions: { askAboutFailure: () => {} } });

/** The command over the faulty machine, which the seeds from 1 on find. */
async function runFaulty(flags: Parameters<typeof simulateTasks>[0]) {
  const { heard, io } = listener();
  const code = await simulateTasks({ tasks: 100, ...flags }, io, faulty);
  const [, seed] = /Seed (\d+) broke L1\./.exec(heard.said) ?? [];
  const { violation, input } = simulate({ seed: Number(seed), machine: faulty });
  return { code, said: heard.said, violation, input };
}

describe("signalbox simulate", () => {
  it("reports the number of tasks, the coverage and that all laws hold", async () => {
    const { code, said } = await run({ seed: 40, tasks: 10 });
    expect(said).toMatch(/^10 tasks from seed 40: \d+ completed, \d+ left, 0 cut\.\n/);
    expect(said).toMatch(/States: \d+ of \d+\. Transitions: \d+ of \d+\./);
    expect(said).toContain("  not taken: ");
    expect(said.endsWith("All laws hold.\n")).toBe(true);
    expect(code).toBe(0);
  });

  it("prints the same as JSON", async () => {
    const { said } = await run({ tasks: 2, format: "json" });
    expect(JSON.parse(said)).toMatchObject({ firstSeed: 1, tasks: 2 });
  });

  it("runs for a given time, and no task in zero time", async () => {
    expect((await run({ for: "0ms" })).said).toContain("0 tasks");
  });

  it("rejects an invalid time with the valid units", async () => {
    await expect(run({ for: "soon" })).rejects.toThrow(
      /expected a number with ms, s, m or h, such as 60s, got "soon"/,
    );
  });

  it("writes no file if every law holds", async () => {
    const file = inFolder("none.test.ts");
    expect(await simulateTasks({ tasks: 3, emitTest: file }, listener().io)).toBe(0);
    expect(existsSync(file)).toBe(false);
  });
});

describe("a simulated task that breaks a law", () => {
  it("is written as a test whose path breaks the same law on the same machine, and none on a correct one", async () => {
    const file = inFolder("found.test.ts");
    const { code, violation, input } = await runFaulty({ emitTest: file });
    expect(code).toBe(1);
    const text = readFileSync(file, "utf8");
    expect(text).toContain(`test(${JSON.stringify(`L1: ${violation?.what}`)}, `);
    const [, given = ""] = /ALL_LAWS, (\{.*\})\)\)\.toEqual/.exec(text) ?? [];
    expect(JSON.parse(given)).toEqual(JSON.parse(JSON.stringify(input)));
    const [, lines = ""] = /= (\[\n[\s\S]*?\n\]);/.exec(text) ?? [];
    const written: readonly PathEvent[] = JSON.parse(lines.replace(/,\n\]$/, "\n]"));
    expect(written).toEqual(violation?.path);
    expect(violationsOn(written, faulty, ALL_LAWS, JSON.parse(given))[0]).toBe(`L1: ${violation?.what}`);
    expect(violationsOn(written, taskMachine, ALL_LAWS, JSON.parse(given))).toEqual([]);
  });

  it("is written as the journal of its task, up to the state that broke the law", async () => {
    const file = inFolder("found.jsonl");
    await runFaulty({ emitJournal: file });
    const records = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => {
        const decoded = decodeLine(Buffer.from(line));
        return decoded.whole ? parseRecord(decoded.json) : decoded.reason;
      });
    expect(records[0]).toMatchObject({ data: { kind: "header" } });
    expect(records.at(-1)).toMatchObject({ data: { kind: "commit", after: "idle.failed" } });
  });

  it("is written as a mermaid diagram that ends with the broken law", async () => {
    const file = inFolder("found.mmd");
    const { violation } = await runFaulty({ emitDiagram: file });
    const text = readFileSync(file, "utf8");
    expect(text.startsWith("sequenceDiagram\n")).toBe(true);
    expect(text.trimEnd().endsWith(`  Note over task: L1: ${violation?.what}`)).toBe(true);
  });

  it("is printed as a trace of the simulated machine", async () => {
    const { said, violation } = await runFaulty({});
    expect(said).toContain(`L1: ${violation?.what}\ntask.start `);
    expect(said.trimEnd().endsWith("= idle.failed")).toBe(true);
  });

  it("is written to new files only, which is checked before the simulation", async () => {
    const file = inFolder("mine.txt");
    writeFileSync(file, "mine");
    const { heard, io } = listener();
    await expect(simulateTasks({ emitJournal: file }, io, faulty)).rejects.toThrow("already exists");
    expect(readFileSync(file, "utf8")).toBe("mine");
    expect(heard.said).toBe("");
  });
});
