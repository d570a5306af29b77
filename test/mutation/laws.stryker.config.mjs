import machines from "../../stryker.config.mjs";

/**
 * Mutation testing of what judges: `npm run test:mutation -- test/mutation/laws.stryker.config.mjs`. A law that says too
 * much is noticed by sound tasks, one that says too little by the deliberate faults.
 */
export default {
  ...machines,
  mutate: ["verify/laws/*.ts"],
  // In what words something is told is for people: not judged here.
  mutator: { excludedMutations: ["StringLiteral"] },
  vitest: { configFile: "test/mutation/laws.vitest.config.ts", related: false },
  incrementalFile: ".stryker-tmp/laws-incremental.json",
  jsonReporter: { fileName: ".stryker-tmp/laws-report.json" },
};
