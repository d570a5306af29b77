import machines from "../../stryker.config.mjs";

/**
 * Mutation tests of policies over time: `npm run test:mutation -- test/mutation/temporal.stryker.config.mjs`. The
 * recursive meaning of formulas kills most mutants.
 */
export default {
  ...machines,
  mutate: ["tools/temporal/*.ts", "!tools/temporal/index.ts"],
  // A test on a busy machine is slow: a shorter timeout would report a loop.
  timeoutMS: 20_000,
  // The texts of messages are not tested here.
  mutator: { excludedMutations: ["StringLiteral"] },
  vitest: { configFile: "test/mutation/temporal.vitest.config.ts", related: false },
  incrementalFile: ".stryker-tmp/temporal-incremental.json",
  jsonReporter: { fileName: ".stryker-tmp/temporal-report.json" },
};
