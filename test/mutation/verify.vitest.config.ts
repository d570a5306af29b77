import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { createSequencer } from "./sequencer.ts";

/** The tests by which mutants of verification are judged, but for the long walks: small ones stand in their place. */
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
