import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { createSequencer } from "./sequencer.ts";

/** Tests of the mutants of `tools/temporal/`, with short campaigns instead of the long ones. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/tools/temporal/*.test.ts", "test/settings/policy-file.test.ts"],
    setupFiles: ["test/mutation/setup.ts"],
    env: { SIGNALBOX_TESTS: "mutants" },
    pool: "threads",
    isolate: false,
    fileParallelism: false,
    maxWorkers: 1,
    testTimeout: 60_000,
    sequence: {
      sequencer: createSequencer(["/monitor", "/pattern", "/shipped"], ["/program", "/consistency"]),
    },
  },
});
