import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { createSequencer } from "./sequencer.ts";

/** The files that fail most often and earliest. */
const FIRST = ["/mutation/loading", "/message/", "/conversation/", "/task/scenarios", "/task/"];
/** The slowest files. At the last one all modules are loaded, so that no single test is charged with the loading. */
const LAST = [
  "/message/tracker",
  "/conversation/validate",
  "/list/",
  "/mutation/campaigns",
  "/mutation/loading",
];

/**
 * Tests of the mutants of the machines and of the rules of modes, with short campaigns instead of the long ones. All run in
 * one thread with one copy of each module, because they start several thousand times.
 */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: [
      "test/machines/**/*.test.ts",
      "test/tools/modes/{modes,validate-tool-use}.test.ts",
      "test/mutation/{campaigns,loading}.test.ts",
    ],
    exclude: ["test/machines/task/{laws,schedules,cost}.test.ts"],
    setupFiles: ["test/mutation/setup.ts"],
    pool: "threads",
    isolate: false,
    fileParallelism: false,
    maxWorkers: 1,
    testTimeout: 60_000,
    sequence: { sequencer: createSequencer(FIRST, LAST) },
  },
});
