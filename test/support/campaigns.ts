/**
 * Campaigns: test files or folders that take minutes or need more than Node. `npm run test:all` runs them; `npm test`
 * skips them and prints their names.
 */
export const CAMPAIGNS: Readonly<Record<string, readonly string[]>> = {
  "kill matrix": ["test/crash/kills.test.ts"],
  "journal prefixes": ["test/crash/prefixes.test.ts"],
  "losing disk": ["test/crash/losing.test.ts"],
  "snapshot restores": ["test/adapters/checkpoints/restore.property.test.ts"],
  "exhaustive exploration": ["test/verify/exploration.test.ts", "test/verify/races.test.ts"],
  "built CLI": [
    "test/cli/acp/acpx.test.ts",
    "test/cli/acp/process.test.ts",
    "test/cli/command.test.ts",
    "test/cli/connected.test.ts",
    "test/cli/endpoint.test.ts",
    "test/cli/exchange.test.ts",
    "test/cli/interfaces.test.ts",
    "test/cli/history.test.ts",
    "test/cli/modes.test.ts",
    "test/cli/print/asks.test.ts",
    "test/cli/show-page.test.ts",
    "test/cli/stream/stream.test.ts",
    "test/cli/subtasks.test.ts",
    "test/cli/terminal/permissions.test.ts",
    "test/cli/verify-built.test.ts",
    "test/cli/verify-page.test.ts",
    "test/field-failures/processes.test.ts",
    "test/server/command.test.ts",
  ],
  browser: [
    "test/adapters/browser/",
    "test/page/hostile.test.ts",
    "test/page/layout.test.ts",
    "test/page/live.test.ts",
    "test/page/page.test.ts",
    "test/page/permissions.test.ts",
    "test/client/react/browser.test.ts",
  ],
  "newest packages": [
    "test/adapters/mcp/conformance.test.ts",
    "test/adapters/providers/newest-packages.test.ts",
  ],
  packaging: ["test/packaging/", "test/page/package.test.ts"],
  examples: ["test/examples/", "test/examples-in-docs/"],
  benches: ["test/bench/"],
};

/** Test files that replace modules (`vi.mock`): each runs in its own environment. */
export const ISOLATED: readonly string[] = [
  "test/cli/verify-bounds.test.ts",
  "test/runtime/breakpoints/breakpoint-laws.test.ts",
  "test/runtime/recovery-full-disk.test.ts",
  "test/store/journal/faults.test.ts",
];

/** Whether the command line names test files. Then they all run, also those of campaigns. */
export const isNamed = process.argv.slice(2).some((argument) => /(^|\/)test\//.test(argument));

/** Whether this is `npm run test:all`. */
const isThorough = process.env.SIGNALBOX_TESTS === "all";

/** The number of runs of a property: `full` in `npm run test:all`, `quick` in `npm test`. */
export const runs = (full: number, quick: number): number => (isThorough ? full : quick);

/** The campaign of a test file. @param file its path from the root of the package */
export const campaignOf = (file: string): string | undefined =>
  Object.entries(CAMPAIGNS).find(([, paths]) => paths.some((path) => file.startsWith(path)))?.[0];
