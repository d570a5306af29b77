import { defineConfig } from "vitest/config";
import { digests, passedBefore } from "./test/support/campaign-record.ts";
import { CAMPAIGNS, ISOLATED, isNamed } from "./test/support/campaigns.ts";

const glob = (path: string): string => (path.endsWith("/") ? `${path}**/*.test.ts` : path);

/**
 * `npm test` runs everything but the campaigns, `npm run test:all` (`--mode all`) everything. `npm run test:ci`
 * (`--mode ci`) leaves out the campaigns that passed with the files as they are. Files share the modules that a worker
 * has loaded: loading them again for each file takes as much CPU time as the tests.
 */
export default defineConfig(async ({ mode }) => {
  const isAll = mode === "all";
  const passed = mode === "ci" ? passedBefore(await digests()) : [];
  const campaigns = Object.values(CAMPAIGNS).flatMap(({ tests }) => tests);
  const chosen = Object.entries(CAMPAIGNS).flatMap(([name, { tests }]) =>
    passed.includes(name) ? [] : tests,
  );
  const runsCampaigns = (isAll || mode === "ci") && !isNamed;
  const exclude = isNamed ? [...ISOLATED] : [...campaigns.map(glob), ...ISOLATED];
  // Given to each project: what a project extends is evaluated again, without the mode.
  const full = { SIGNALBOX_TESTS: "all" };
  const env = isAll ? full : { SIGNALBOX_TESTS: "quick" };
  return {
    test: {
      reporters: ["default", "./test/support/count-reporter.ts"],
      maxWorkers: 2,
      projects: [
        {
          extends: true as const,
          test: { name: "shared", include: ["test/**/*.test.ts"], exclude, isolate: false, env },
        },
        { extends: true as const, test: { name: "isolated", include: [...ISOLATED], env } },
        ...(runsCampaigns && chosen.length > 0 ? [inCampaigns(chosen, full)] : []),
        ...(runsCampaigns && !passed.includes("passivation") ? [passive(full)] : []),
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

type Env = Readonly<Record<string, string>>;

const inCampaigns = (tests: readonly string[], env: Env) => ({
  extends: true as const,
  test: { name: "campaigns", include: tests.map(glob), exclude: [...ISOLATED], isolate: false, env },
});

/** The tests of tasks and clients again, with tasks that are passivated after every commit that allows it. */
const passive = (env: Env) => ({
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
