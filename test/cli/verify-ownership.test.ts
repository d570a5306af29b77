import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { verify } from "../../cli/commands/verify.ts";
import { runAny } from "../../cli/verify/job.ts";
import {
  createOwnershipReport,
  ownershipBlocks,
  ownershipViolations,
} from "../../cli/verify/ownership-report.ts";
import { exploreOwnership } from "../../verify/ownership/exploration.ts";
import { OWNERSHIP_RULES } from "../../verify/ownership/rules.ts";
import { OWNERSHIP_FAULTS } from "../verify/ownership/faults.ts";
import { silentIo } from "./in-process.ts";

const ONE = {
  name: "one",
  of: "owners",
  bounds: { leaseTicks: 2, effects: 1, faults: { cuts: 1 } },
} as const;

async function run(...law: readonly string[]) {
  const stderr = new PassThrough();
  const io = Object.assign(silentIo(), { stderr });
  const code = await verify({ format: "text", law, maxStates: 100 }, io);
  return { code, stdout: String(io.stdout.read() ?? ""), stderr: String(stderr.read() ?? "") };
}

describe("signalbox verify of the owners of a task", () => {
  test("prints only the explorations that check an asked law, with their bounds", async () => {
    const { code, stdout } = await run("WOKEN");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^WOKEN +inbox +While a worker lives.* holds as far as it went$/m);
    expect(stdout).toMatch(
      /^the inbox of a task, with a worker that is killed: workers 2, commands 2, kills 1$/m,
    );
    expect(stdout).not.toContain("owners");
    expect(stdout).not.toContain("transitions taken");
  });

  test("knows no law of owners where only a task is explored", async () => {
    const io = silentIo();
    await expect(verify({ format: "text", law: ["FENCE"], calls: 0 }, io)).rejects.toThrow(
      'unknown law "FENCE"',
    );
  });

  test("has the bounds, the laws and the figures as JSON", async () => {
    const io = silentIo();
    expect(await verify({ format: "json", law: ["KNOWN"], maxStates: 100 }, io)).toBe(0);
    expect(JSON.parse(String(io.stdout.read()))).toMatchObject({
      ownership: { laws: [{ id: "KNOWN", of: "owners" }], complete: false, notEnded: [], violations: [] },
    });
  });

  test("prints a broken law with the shortest steps to it", () => {
    const fault = OWNERSHIP_FAULTS.find(({ law }) => law === "KNOWN");
    const found = exploreOwnership({ ...ONE.bounds, rules: { ...OWNERSHIP_RULES, ...fault?.rules } });
    const explored = [{ ...found, ownership: ONE, seconds: 1 }];
    const report = createOwnershipReport({ cases: [ONE], explored, laws: ["FENCE", "KNOWN"] });
    expect(report.laws.map(({ id, verdict }) => [id, verdict])).toEqual([
      ["FENCE", "holds as far as it went"],
      ["KNOWN", "broken"],
    ]);
    expect(ownershipViolations(report)).toEqual([
      [
        'Exploration "one", shortest counterexample:',
        "the database executes claim of w1",
        "w1 receives claimed",
        "KNOWN: w1 knows of 1 records, and there are 0",
      ].join("\n"),
    ]);
  });

  test("names the explorations that another one's violation stopped", () => {
    const report = createOwnershipReport({ cases: [ONE], explored: [], laws: undefined });
    expect(ownershipBlocks(report).at(-1)).toBe("Stopped early: one.");
  });

  test("reports progress while it explores", () => {
    const far: number[] = [];
    const job = {
      ownership: { ...ONE, bounds: { ...ONE.bounds, losses: 2 } },
      laws: undefined,
      maxStates: 2_500,
    };
    runAny(job, ({ states }) => far.push(states));
    expect(far.length).toBeGreaterThanOrEqual(1);
    expect(far).toEqual(far.toSorted((one, other) => one - other));
  });
});
