import { describe, expect, test } from "vitest";
import { node24 } from "../../bench/harness/node24.ts";
import { hasPostgres } from "../support/postgres.ts";
import { runChaos } from "./chaos-run.ts";

const node = hasPostgres ? await node24().catch(() => undefined) : undefined;
if (hasPostgres && node === undefined)
  console.warn("The run of tasks with faults is skipped. npm could not install Node 24.");

/** Time in which the tasks must end after the last fault, in seconds: the machine may be busy. */
const HEAL_S = 300;

describe.skipIf(node === undefined)("under Node 24", () => {
  test("tasks end, and lose and repeat nothing, while workers, servers, the database and its connections fail", async () => {
    const size = { seed: 1, tasks: 20, workers: 3, servers: 2, seconds: 75, healSeconds: HEAL_S };
    const { violations, figures } = await runChaos(size);
    expect(violations).toEqual([]);
    expect(figures.working).toEqual([]);
    expect(Object.values(figures.faults).reduce((sum, times) => sum + times, 0)).toBeGreaterThan(0);
  });
});
