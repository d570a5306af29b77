import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Compiled, compile } from "./compiled.ts";
import { lengthsOf } from "./matrix.ts";
import { trials } from "./points.ts";
import { runAll } from "./summary.ts";

/** Minimum of killed processes. `npm run test:crash` kills 1000. */
const KILLS = 150;

describe("a task whose process is killed with SIGKILL during a write", () => {
  let compiled: Compiled;
  beforeAll(() => {
    compiled = compile();
  });
  afterAll(() => compiled.remove());

  test(`recovers, completes, repeats no effect and writes only what was approved in ${KILLS} kills (L1-L8, L11, L12, L16)`, async () => {
    const lengths = await lengthsOf(compiled.program);
    const { table, violations, kills } = await runAll(compiled.program, trials(lengths, KILLS, 1), 2);
    console.log(table);
    expect(violations).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(KILLS);
  }, 900_000);
});
