/**
 * Mutation testing of what decides: `npm run test:mutation`. Nothing that can be wrong is left out: mutants of code
 * that runs once, when a module is loaded (the machine's table), are judged by all tests like any other.
 */
export default {
  mutate: ["machines/**/*.ts"],
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  // The tests that notice within seconds, the quickest first. `related` would only find out that all of them are.
  vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
  coverageAnalysis: "perTest",
  concurrency: 2,
  // A mutant whose code and tests are as they were is not run again. One of code that runs as a module is loaded has no
  // tests of its own: that there are new ones is not noticed. `--force` begins anew.
  incremental: true,
  incrementalFile: ".stryker-tmp/incremental.json",
  ignorePatterns: ["/dist", "/docs", "/examples", "/bench"],
  reporters: ["clear-text", "json"],
  jsonReporter: { fileName: ".stryker-tmp/report.json" },
  clearTextReporter: { allowColor: false, logTests: false },
  tempDirName: ".stryker-tmp",
};
