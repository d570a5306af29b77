import machines from "../../stryker.config.mjs";

/**
 * Mutation tests of exploration, simulation and monitor:
 * `npm run test:mutation -- test/mutation/verify.stryker.config.mjs`. An exploration of another size kills a mutant.
 */
export default {
  ...machines,
  mutate: ["verify/**/*.ts", "!verify/laws/*.ts", "!verify/**/index.ts"],
  // A test on a busy machine is slow: a shorter timeout would report a loop.
  timeoutMS: 20_000,
  // The texts of messages are not tested here.
  mutator: { excludedMutations: ["StringLiteral"] },
  vitest: { configFile: "test/mutation/verify.vitest.config.ts", related: false },
  incrementalFile: ".stryker-tmp/verify-incremental.json",
  jsonReporter: { fileName: ".stryker-tmp/verify-report.json" },
};
