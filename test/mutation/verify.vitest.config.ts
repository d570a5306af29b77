import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { inOrder } from "./in-order.ts";

/** The tests by which mutants of verification are judged, but for the long walks: small ones stand in their place. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: [
      "test/mutation/{surroundings,walks}.test.ts",
      "test/verify/{abstraction,cases,counterexamples,coverage,crash,explore-options,hold,life,races-options,trace}.test.ts",
      "test/verify/{monitor,simulate}/*.test.ts",
    ],
    setupFiles: ["test/mutation/setup.ts"],
    pool: "threads",
    isolate: false,
    fileParallelism: false,
    maxWorkers: 1,
    testTimeout: 60_000,
    sequence: { sequencer: inOrder(["/surroundings", "/walks"], ["/monitor/"]) },
  },
});
