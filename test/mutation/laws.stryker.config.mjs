import machines from "../../stryker.config.mjs";

/**
 * Mutation tests of the laws: `npm run test:mutation -- test/mutation/laws.stryker.config.mjs`. Correct tasks kill a law
 * that is too strict; seeded faults kill one that is too weak.
 */
export default {
  ...machines,
  mutate: ["verify/laws/*.ts"],
  // The texts of messages are not tested here.
  mutator: { excludedMutations: ["StringLiteral"] },
  vitest: { configFile: "test/mutation/laws.vitest.config.ts", related: false },
  incrementalFile: ".stryker-tmp/laws-incremental.json",
  jsonReporter: { fileName: ".stryker-tmp/laws-report.json" },
};
