import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type VerifyFlags, verify } from "../../cli/commands/verify.ts";
import { countRecorded } from "../../cli/verify/recorded-counts.ts";
import { verificationOf } from "../../cli/verify/report-page.ts";
import { taskMachine } from "../../machines/task/task.machine.ts";
import type { VerifiedTransition } from "../../wire/http/verification.ts";
import { BUILT_PAGE } from "../page/browser.ts";
import { verificationParts } from "../support/verification-parts.ts";
import { silentIo } from "./in-process.ts";
import { temporaryFolder } from "./process.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());
const inFolder = (name: string): string => path.join(folder.path, name);

const parts = verificationParts();
const { explored, report, races } = parts;
const isBuilt = existsSync(path.join(BUILT_PAGE, "embed.js"));

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);
const exploredOf = (rows: readonly VerifiedTransition[]) => sum(rows.map((row) => row.explored));
const JOURNAL = "test/fixtures/journals/2026-11/task.jsonl";

describe("the page of a verification", () => {
  const verification = verificationOf({ ...parts, recorded: undefined });

  test("has each transition of both tables with the number of times that it was taken", () => {
    const [coverage] = explored.map((each) => each.coverage);
    expect(verification.transitions).toHaveLength(coverage?.transitions.size ?? 0);
    expect(verification.callTransitions).toHaveLength(coverage?.calls.size ?? 0);
    expect(exploredOf(verification.transitions)).toBe(sum(coverage?.transitions.values() ?? []));
    expect(exploredOf(verification.callTransitions)).toBe(sum(coverage?.calls.values() ?? []));
    expect(exploredOf(verification.callTransitions)).toBeGreaterThan(0);
  });

  test("has the explored states by the state of the machine, each law, and the races by state", () => {
    expect(sum(Object.values(verification.states))).toBe(report.states);
    expect(verification.laws.map(({ id }) => id)).toEqual(report.laws.map(({ id }) => id));
    expect(verification.races).toMatchObject({ pairs: races.pairs, complete: false });
    expect(verification.races?.races).toHaveLength(races.races.length);
    expect(verification.recorded).toBeUndefined();
  });

  test("has the violations that only a pair of racing events shows", () => {
    const violation = { law: "L8", title: "a law", what: "it came late", path: [] };
    const found = verificationOf({
      ...parts,
      races: { ...races, violations: [violation] },
      recorded: undefined,
    });
    expect(found.violations).toEqual([
      { law: "L8", what: "it came late", exploration: "races", trace: "it came late" },
    ]);
  });

  test("counts the transitions of a recorded task, and leaves out those that a journal does not show", async () => {
    const recorded = await countRecorded(JOURNAL, taskMachine);
    const counted = verificationOf({ ...parts, recorded });
    const countOf = (name: string) =>
      counted.transitions.find(
        ({ source, event, guard, target }) => `${source} ${event} [${guard}] -> ${target}` === name,
      )?.recorded;
    expect(countOf("no_task task.start [] -> running")).toEqual({ times: 1, perhaps: 0 });
    expect(countOf("no_task always [wasCompleted] -> idle.reopened")).toEqual({ times: 0, perhaps: 0 });
    for (const { source, target, recorded: count } of counted.transitions)
      expect(count === undefined).toBe(target === "" || target === source);
    const lines = readFileSync(JOURNAL, "utf8").trimEnd().split("\n").length;
    expect(counted.recorded).toMatchObject({ tasks: 1, events: lines, damaged: [] });
    expect(counted.recorded?.edges["no_task -> running"]).toBe(1);
    expect(counted.recorded?.states.running).toBeGreaterThan(0);
  });
});

describe("the counts of a data folder", () => {
  const data = inFolder("data");
  const place = (id: string): string => {
    mkdirSync(path.join(data, "tasks", id), { recursive: true });
    return path.join(data, "tasks", id, "journal.jsonl");
  };

  test("are of all its tasks, of a damaged journal those before the damage", async () => {
    copyFileSync(JOURNAL, place("task"));
    copyFileSync("test/fixtures/journals/2026-11/task.1.jsonl", place("task.1"));
    const [first, , ...others] = readFileSync(JOURNAL, "utf8").split("\n");
    writeFileSync(place("damaged"), [first, "damaged", ...others].join("\n"));
    const { tasks, transitions } = await countRecorded(data, taskMachine);
    expect(tasks).toMatchObject({ tasks: 3, damaged: ["damaged"] });
    expect(transitions.get("no_task -> running\ntask.start\n")).toEqual({ times: 2, perhaps: 0 });
  });

  test("of a path without journals are an error that says so", async () => {
    for (const name of ["none.jsonl", "."])
      await expect(countRecorded(inFolder(name), taskMachine)).rejects.toThrow(
        /^--counts: expected a journal, or a data folder with tasks, got /,
      );
  });
});

describe("signalbox verify --emit-report", () => {
  const run = (flags: Partial<VerifyFlags>) => {
    return verify({ format: "text", calls: 0, tools: "read", maxStates: 20, ...flags }, silentIo());
  };

  test("refuses a file that exists before it explores anything, and --counts without a page", async () => {
    writeFileSync(inFolder("there.html"), "");
    await expect(run({ emitReport: inFolder("there.html") })).rejects.toThrow("already exists");
    await expect(run({ counts: JOURNAL })).rejects.toThrow("--counts requires --page or --emit-report");
  });

  test.skipIf(!isBuilt)(
    "reports on stderr that only racing events break a law, also with --format json",
    async () => {
      const machine = taskMachine.provide({ guards: { isOpenRequest: ({ event }) => "requestId" in event } });
      const io = silentIo();
      const flags = { format: "json", calls: 0, tools: "read", maxStates: 3 } as const;
      expect(await verify({ ...flags, emitReport: inFolder("racing.html") }, io, machine)).toBe(1);
      expect(JSON.parse(String(io.stdout.read()))).toMatchObject({ violations: [] });
      expect(String(io.stderr.read())).toContain("racing events break laws: 1 violation");
    },
  );
});
