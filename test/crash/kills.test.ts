import { beforeAll, describe, expect, test } from "vitest";
import { program } from "../support/program.ts";
import { CHILD, lengthsOf } from "./matrix.ts";
import { trials } from "./points.ts";
import { runAll } from "./summary.ts";

/** Minimum of killed processes. `npm run test:crash` kills 1000. */
const KILLS = 150;

describe("a task whose process is killed with SIGKILL during a write", () => {
  let child = "";
  beforeAll(async () => {
    child = await program(CHILD);
  });

  test(`recovers, completes, repeats no effect and writes only what was approved in ${KILLS} kills (L1-L8, L11, L12, L16)`, async () => {
    const lengths = await lengthsOf(child);
    const { table, violations, kills } = await runAll(child, trials(lengths, KILLS, 1), 2);
    console.log(table);
    expect(violations).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(KILLS);
  }, 900_000);

  test("at each record of a run with hooks: it recovers, completes, and starts no call before its hooks (HOOK, L11, L12)", async () => {
    const lengths = await lengthsOf(child, true);
    const records = [...lengths.values()].reduce((sum, { length }) => sum + length, 0);
    expect(records).toBeGreaterThan(120);
    const chosen = trials(lengths, records, 1);
    const { table, violations, kills } = await runAll(child, chosen, 2, undefined, true);
    console.log(table);
    expect(violations).toEqual([]);
    expect(kills).toBe(records);
  }, 900_000);
});
