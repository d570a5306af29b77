import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { digests, passedBefore } from "./test/support/campaign-record.ts";
import { CAMPAIGNS, ISOLATED, isNamed, PASSIVATED } from "./test/support/campaigns.ts";
import { CountReporter } from "./test/support/count-reporter.ts";

const glob = (path: string): string => (path.endsWith("/") ? `${path}**/*.test.ts` : path);

/**
 * `npm test` runs everything but the campaigns, `npm run test:all` (`--mode all`) everything. `npm run test:ci`
 * (`--mode ci`) leaves out the campaigns that passed with the files as they are. Files share the modules that a worker
 * has loaded: loading them again for each file takes as much CPU time as the tests.
 */
export default defineConfig(({ mode }) => {
  const isThorough = (mode === "all" || mode === "ci") && !isNamed;
  const now = isThorough ? digests() : new Map<string, string>();
  const passed = mode === "ci" ? passedBefore(now) : [];
  const leftOut = isThorough ? passed : isNamed ? [] : Object.keys(CAMPAIGNS);
  const tests = leftOut.flatMap((name) => CAMPAIGNS[name]?.tests ?? []);
  // Given to each project: what a project extends is evaluated again, without the mode.
  const env = { SIGNALBOX_TESTS: isThorough ? "all" : "quick" };
  return {
    // The sources of the cluster import it as users do.
    resolve: {
      alias: [{ find: /^signalbox$/, replacement: fileURLToPath(new URL("index.ts", import.meta.url)) }],
    },
    test: {
      reporters: ["default", new CountReporter({ mode, now, leftOut })],
      maxWorkers: 2,
      projects: [
        {
          extends: true as const,
          test: {
            name: "shared",
            include: ["test/**/*.test.ts"],
            exclude: [...tests, ...ISOLATED].map(glob),
            isolate: false,
            env,
          },
        },
        { extends: true as const, test: { name: "isolated", include: [...ISOLATED], env } },
        ...(isThorough && !passed.includes("passivation") ? [passive(env)] : []),
      ],
      globalSetup: ["./test/support/builds.ts"],
      setupFiles: ["./test/support/seed.ts"],
      // Only a test that hangs is ended: speed is measured by the benches.
      testTimeout: 900_000,
      hookTimeout: 900_000,
      expect: { poll: { timeout: 120_000 } },
    },
  };
});

/** The tests of tasks and clients again, with tasks that are passivated after every commit that allows it. */
const passive = (env: Readonly<Record<string, string>>) => ({
  extends: true as const,
  test: {
    name: "passive",
    include: PASSIVATED.tests.map(glob),
    exclude: [...ISOLATED, ...(PASSIVATED.except ?? [])].map(glob),
    isolate: false,
    env: { ...env, SIGNALBOX_PASSIVE: "1" },
  },
});
