import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("../..", import.meta.url));
const source = (file: string): string => `${root}${file}`;

/** The tests of `@signalbox/cluster`, which `cluster.test.ts` runs under a Node that the package runs on. */
export default defineConfig({
  root,
  resolve: {
    alias: [
      { find: /^signalbox\/postgres$/, replacement: source("store/postgres/index.ts") },
      { find: /^signalbox$/, replacement: source("index.ts") },
    ],
  },
  test: {
    include: ["test/{cluster,contract}/**/*.node24.ts"],
    globalSetup: ["./test/support/builds.ts"],
    setupFiles: ["./test/support/seed.ts"],
    maxWorkers: 2,
    isolate: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
