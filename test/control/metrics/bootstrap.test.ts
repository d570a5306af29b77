import { expect, test } from "vitest";
import { bootstrap } from "../../../control/metrics/bootstrap.ts";
import { safetyAt } from "../../../control/metrics/safety.ts";
import { FIXTURE } from "./fixture.ts";

const safety = (runs: typeof FIXTURE): number => safetyAt(runs, 9.1).undetectedFree;

test("the same seed gives the same interval, another seed another", () => {
  const one = bootstrap(FIXTURE, safety, { seed: 1, resamples: 50 });
  expect(bootstrap(FIXTURE, safety, { seed: 1, resamples: 50 })).toEqual(one);
  const means = [1, 2, 3].map((seed) => bootstrap(FIXTURE, meanScore, { seed, resamples: 50 }).low);
  expect(new Set(means).size).toBe(3);
});

const meanScore = (runs: typeof FIXTURE): number =>
  runs.reduce((sum, { score }) => sum + score, 0) / runs.length;

test("the interval contains the value of the runs, and a higher level is no narrower", () => {
  const wide = bootstrap(FIXTURE, safety, { seed: 7 });
  const narrow = bootstrap(FIXTURE, safety, { seed: 7, level: 0.5 });
  expect(wide.low).toBeLessThan(0.4);
  expect(wide.high).toBeGreaterThan(0.4);
  expect(wide.low).toBeLessThanOrEqual(narrow.low);
  expect(wide.high).toBeGreaterThanOrEqual(narrow.high);
});

test("each resampled set has as many runs of each mode as the runs have", () => {
  const sizes = new Set<string>();
  bootstrap(
    FIXTURE.slice(0, 13),
    (runs) => {
      const attacks = runs.filter(({ mode }) => mode === "attack").length;
      sizes.add(`${runs.length - attacks} ${attacks}`);
      return 0;
    },
    { seed: 1, resamples: 20 },
  );
  expect([...sizes]).toEqual(["10 3"]);
});

test.each([{ seed: 0.5 }, { seed: 1, resamples: 0 }, { seed: 1, level: 2 }])("%o is rejected", (options) => {
  expect(() => bootstrap(FIXTURE, safety, options)).toThrow(
    expect.objectContaining({ code: "MEASUREMENT_INVALID" }),
  );
});
