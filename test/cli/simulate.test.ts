import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { simulateTasks } from "../../cli/commands/simulate.ts";

function run(flags: Parameters<typeof simulateTasks>[0]): { code: number; said: string } {
  let said = "";
  const stdout = new Writable({
    write: (piece, _encoding, done) => {
      said += String(piece);
      done();
    },
  });
  const stderr = new Writable({ write: (_piece, _encoding, done) => done() });
  return { code: simulateTasks(flags, { stdout, stderr }), said };
}

describe("signalbox simulate", () => {
  it("tells how many tasks were lived, what was covered and that every law held", () => {
    const { code, said } = run({ seed: 40, tasks: 10 });
    expect(said).toMatch(/^10 tasks from seed 40 on: \d+ completed, \d+ left, 0 cut\.\n/);
    expect(said).toMatch(/States: \d+ of \d+\. Rows of the table: \d+ of \d+\./);
    expect(said).toContain("  not taken: ");
    expect(said.endsWith("Every law held.\n")).toBe(true);
    expect(code).toBe(0);
  });

  it("tells programs the same as JSON", () => {
    expect(JSON.parse(run({ tasks: 2, format: "json" }).said)).toMatchObject({ firstSeed: 1, tasks: 2 });
  });

  it("goes on for a given time, and lives no task in none", () => {
    expect(run({ for: "0ms" }).said).toContain("0 tasks");
  });

  it("refuses a time that is none, and says which there are", () => {
    expect(() => run({ for: "soon" })).toThrow(
      /expected a number with ms, s, m or h, such as 60s, got "soon"/,
    );
  });
});
