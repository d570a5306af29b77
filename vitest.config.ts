import { defineConfig } from "vitest/config";
import { CAMPAIGNS, ISOLATED, isNamed } from "./test/support/campaigns.ts";

const glob = (path: string): string => (path.endsWith("/") ? `${path}**/*.test.ts` : path);
const campaigns = Object.values(CAMPAIGNS).flat().map(glob);

/**
 * `npm test` runs everything but the campaigns, `npm run test:all` (`--mode all`) everything. Files share the modules
 * that a worker has loaded: loading them again for each file takes as much CPU time as the tests.
 */
export default defineConfig(({ mode }) => {
  const exclude = mode === "all" || isNamed ? [] : campaigns;
  // Given to each project: what a project extends is evaluated again, without the mode.
  const env = { SIGNALBOX_TESTS: mode === "all" ? "all" : "quick" };
  return {
    test: {
      reporters: ["default", "./test/support/count-reporter.ts"],
      maxWorkers: 2,
      projects: [
        {
          extends: true,
          test: {
            name: "shared",
            include: ["test/**/*.test.ts"],
            exclude: [...exclude, ...ISOLATED],
            isolate: false,
            env,
          },
        },
        { extends: true, test: { name: "isolated", include: [...ISOLATED], exclude, env } },
        ...(mode === "all" ? [passive(env)] : []),
      ],
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
    include: ["test/runtime/**/*.test.ts", "test/client/**/*.test.ts"],
    exclude: [
      ...ISOLATED,
      "test/client/react/",
      "test/client/telemetry/",
      "test/runtime/passivation.test.ts",
      "test/runtime/mutated-responses/",
    ].map(glob),
    isolate: false,
    env: { ...env, SIGNALBOX_PASSIVE: "1" },
  },
});
