import fc from "fast-check";
import { it } from "vitest";

/** The number of runs, and examples in addition to the generated values. */
interface Trials<T> {
  readonly numRuns?: number;
  readonly examples?: T[];
}

/** Property tests with the API of `@fast-check/vitest`, whose loading takes seconds in every file. */
export const test = {
  prop:
    <T extends [unknown, ...unknown[]]>(
      arbitraries: { [K in keyof T]: fc.Arbitrary<T[K]> },
      { examples = [], ...trials }: Trials<T> = {},
    ) =>
    (title: string, holds: (...of: T) => void) => {
      it(title, () => {
        const property = fc.property(fc.tuple<T>(...arbitraries), (of) => holds(...of));
        fc.assert(property, { ...trials, examples: examples.map((one) => [one]) });
      });
    },
};
