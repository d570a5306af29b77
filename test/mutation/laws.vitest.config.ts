import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { createSequencer } from "./sequencer.ts";

/** Tests of the mutants of laws: the laws' own tests, corrupted macrosteps, seeded faults and correct tasks. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: [
      "test/verify/laws/*.test.ts",
      "test/verify/replay.test.ts",
      "test/mutation/campaigns.test.ts",
      "test/mutation/paths.test.ts",
      "test/mutation/corruptions.test.ts",
    ],
    setupFiles: ["test/mutation/setup.ts"],
    pool: "threads",
    isolate: false,
    fileParallelism: false,
    maxWorkers: 1,
    testTimeout: 60_000,
    sequence: { sequencer: createSequencer(["/verify/", "/corruptions", "/paths"]) },
  },
});
