import { describe, expect, test } from "vitest";
import type { Protocol } from "../../../control/protocol.ts";
import { deferToResample } from "../../../control/protocols/defer-to-resample.ts";
import { shippedProtocols } from "../../../control/protocols/shipped.ts";
import { worstCase } from "../../../control/worst-case/worst-case.ts";
import { Random } from "../../../verify/simulation/random.ts";
import { runs } from "../../support/campaigns.ts";
import { MEASURED } from "./measured.ts";
import { SimulatedRuns } from "./simulated-runs.ts";

const RUNS = runs(40_000, 4_000);
const shipped = shippedProtocols({ threshold: 0.5, auditBudget: 2, rate: 0.2, resamples: 2, missesMax: 1 });
const unaudited = (order: "parallel" | "sequence"): Protocol =>
  deferToResample({ threshold: 0.3, auditThreshold: 0.8, resamples: 2, order, auditBudget: 2 });

/** The minimum safety with its bound, and the safety of simulated runs with four standard errors. */
function compare(protocol: Protocol, refine: number) {
  const options = { scores: MEASURED, length: 6, refine };
  const worst = worstCase(protocol, options);
  const safety = new SimulatedRuns(protocol, worst, options, new Random(38)).safety(RUNS);
  return { worst, safety, interval: 4 * Math.sqrt((safety * (1 - safety)) / RUNS) };
}

describe("a simulation of the worst policy with single scores has the minimum safety, within its interval,", () => {
  test.each(shipped.map((protocol) => [protocol.name, protocol] as const))("of %s", (_, protocol) => {
    const { worst, safety, interval } = compare(protocol, 0);
    expect(worst.bound).toBe(0);
    expect(Math.abs(safety - worst.safety)).toBeLessThanOrEqual(interval);
  });
});

test.each(["parallel", "sequence"] as const)(
  "a simulation of defer to resample in %s without an audit of each retry is no less safe than the minimum",
  (order) => {
    for (const refine of [0, 3]) {
      const { worst, safety, interval } = compare(unaudited(order), refine);
      expect(worst.bound).toBeGreaterThan(0);
      expect(safety).toBeGreaterThanOrEqual(worst.safety - interval);
    }
  },
);

test("a refinement of the classes stays within the bound, and lowers it", () => {
  const protocol = unaudited("parallel");
  const cases = [0, 1, 3, 7].map((refine) => worstCase(protocol, { scores: MEASURED, length: 4, refine }));
  const coarse = cases[0]!;
  for (const fine of cases) {
    expect(fine.safety).toBeGreaterThanOrEqual(coarse.safety - 1e-12);
    expect(fine.safety + fine.bound).toBeLessThanOrEqual(coarse.safety + coarse.bound + 1e-12);
  }
  expect(cases.at(-1)?.bound).toBeLessThan(coarse.bound / 2);
});
