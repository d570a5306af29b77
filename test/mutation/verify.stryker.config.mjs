import machines from "../../stryker.config.mjs";

/**
 * Mutation testing of what explores, simulates and monitors: `npm run test:mutation -- test/mutation/verify.stryker.config.mjs`.
 * A walk that is smaller or larger than it was is noticed by its size.
 */
export default {
  ...machines,
  mutate: ["verify/**/*.ts", "!verify/laws/*.ts", "!verify/**/index.ts"],
  // Beside other work a test may take long: that is no sign of a loop.
  timeoutMS: 20_000,
  // In what words something is told is for people: not judged here.
  mutator: { excludedMutations: ["StringLiteral"] },
  vitest: { configFile: "test/mutation/verify.vitest.config.ts", related: false },
  incrementalFile: ".stryker-tmp/verify-incremental.json",
  jsonReporter: { fileName: ".stryker-tmp/verify-report.json" },
};
