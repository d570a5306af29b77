import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** A mutant is judged by the first test that fails: those that fail most often, and soonest, come first. */
const ORDER = ["/mutation/loading", "/message/", "/conversation/", "/task/scenarios", "/task/"];
/** These take longest; by the last the modules were loaded before, so that no test alone is taken to need them. */
const LATE = [
  "/message/tracker",
  "/conversation/validate",
  "/list/",
  "/mutation/campaigns",
  "/mutation/loading",
];

function rank({ moduleId }: TestSpecification): number {
  const late = LATE.findIndex((part) => moduleId.includes(part));
  return late < 0 ? ORDER.findIndex((part) => moduleId.includes(part)) : ORDER.length + late;
}

class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}

/**
 * The tests by which mutants are judged: those of the machines, but for the long campaigns, and short ones in their
 * place. All in one thread with one copy of each module, since they are begun some thousand times.
 */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/machines/**/*.test.ts", "test/mutation/*.test.ts"],
    exclude: ["test/machines/task/{laws,schedules,cost}.test.ts"],
    setupFiles: ["test/mutation/setup.ts"],
    pool: "threads",
    isolate: false,
    fileParallelism: false,
    maxWorkers: 1,
    testTimeout: 60_000,
    sequence: { sequencer: QuickestFirst },
  },
});
