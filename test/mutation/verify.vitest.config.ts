import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { createSequencer } from "./sequencer.ts";

/** Tests of the mutants of `verify/`, with small explorations instead of the long ones. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: [
      "test/mutation/{environment,explorations}.test.ts",
      "test/verify/{abstraction,cases,counterexamples,coverage,crash,exploration-options,replay,observations,races-options,trace}.test.ts",
      "test/verify/{monitor,simulation}/*.test.ts",
    ],
    setupFiles: ["test/mutation/setup.ts"],
    pool: "threads",
    isolate: false,
    fileParallelism: false,
    maxWorkers: 1,
    testTimeout: 60_000,
    sequence: { sequencer: createSequencer(["/environment", "/explorations"], ["/monitor/"]) },
  },
});
