import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { createSequencer } from "./sequencer.ts";

/** Those that fail most often, and soonest, come first. */
const FIRST = ["/mutation/loading", "/message/", "/conversation/", "/task/scenarios", "/task/"];
/** These take longest; by the last the modules were loaded before, so that no test alone is taken to need them. */
const LAST = [
  "/message/tracker",
  "/conversation/validate",
  "/list/",
  "/mutation/campaigns",
  "/mutation/loading",
];

/**
 * The tests by which mutants are judged: those of the machines, but for the long campaigns, and short ones in their
 * place. All in one thread with one copy of each module, since they are begun some thousand times.
 */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/machines/**/*.test.ts", "test/mutation/{campaigns,loading}.test.ts"],
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
