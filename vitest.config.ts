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
      ],
      setupFiles: ["./test/support/seed.ts"],
      testTimeout: 60_000,
      hookTimeout: 120_000,
    },
  };
});
