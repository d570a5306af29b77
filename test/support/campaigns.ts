/** A group of tests that takes minutes, or needs more than Node. `npm test` leaves it out. */
export interface Campaign {
  /** Test files, or folders of them, from the root of the package. */
  readonly tests: readonly string[];
  /** Modules that the tests run in other processes. */
  readonly programs?: readonly string[];
  /** Other files that the tests read, or folders of them. */
  readonly reads?: readonly string[];
}

/** The programs of the command line. */
const COMMAND = ["cli/bin.ts", "cli/roo.ts", "cli/verify/thread.ts", "index.ts"];
const PAGE = ["visualize/page/main.tsx", "visualize/page/embed.ts"];
const BUILD = ["esbuild.config.ts", "package.json"];
const PACKAGE = ["docs", "examples", "README.md", "CHANGELOG.md", "LICENSE", "visualize/page", ...BUILD];
const terminal = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/cli/terminal/${name}.test.ts`);

export const CAMPAIGNS: Readonly<Record<string, Campaign>> = {
  "kill matrix": { tests: ["test/crash/kills.test.ts"], programs: ["test/crash/scenario.child.ts"] },
  "journal prefixes": { tests: ["test/crash/prefixes.test.ts"], reads: ["test/fixtures"] },
  "losing disk": { tests: ["test/crash/losing.test.ts"] },
  "snapshot restores": { tests: ["test/adapters/checkpoints/restore.property.test.ts"] },
  "exhaustive exploration": { tests: ["test/verify/exploration.test.ts", "test/verify/races.test.ts"] },
  "seeded faults": {
    tests: [
      "test/verify/faults.test.ts",
      "test/verify/counterexamples.test.ts",
      "test/machines/task/laws.test.ts",
      "test/machines/task/schedules.test.ts",
      "test/mutation/",
      "test/testing/crashing.test.ts",
    ],
    reads: ["test/verify", "test/fixtures"],
  },
  "command lines in shells": {
    tests: ["test/tools/policy/allowed-lines.property.test.ts", "test/tools/policy/commands.test.ts"],
  },
  "mutated responses": { tests: ["test/runtime/mutated-responses/"], reads: ["test/fixtures"] },
  "built CLI": {
    tests: [
      "test/cli/acp/acpx.test.ts",
      "test/cli/acp/interruptions.test.ts",
      "test/cli/acp/process.test.ts",
      "test/cli/background-crash.test.ts",
      "test/cli/command.test.ts",
      "test/cli/connected.test.ts",
      "test/cli/elicitation.test.ts",
      "test/cli/endpoint.test.ts",
      "test/cli/exchange.test.ts",
      "test/cli/governed.test.ts",
      "test/cli/history.test.ts",
      "test/cli/interfaces.test.ts",
      "test/cli/modes.test.ts",
      "test/cli/moved-folder.test.ts",
      "test/cli/print/asks.test.ts",
      "test/cli/restore.test.ts",
      "test/cli/run-flags.test.ts",
      "test/cli/settings.test.ts",
      "test/cli/show-page.test.ts",
      "test/cli/signals.test.ts",
      "test/cli/stream/stream.test.ts",
      "test/cli/subtasks.test.ts",
      ...terminal("asks", "completion", "edited-proposal", "first-screen", "leaving", "multi-line"),
      ...terminal("permissions", "prompt-command", "screens", "slash-commands", "status-line"),
      "test/cli/verify-built.test.ts",
      "test/cli/verify-page.test.ts",
      "test/field-failures/processes.test.ts",
      "test/server/command.test.ts",
    ],
    programs: [...COMMAND, ...PAGE],
    reads: ["examples", "test/fixtures", ...BUILD],
  },
  browser: {
    tests: [
      "test/adapters/browser/",
      "test/page/governed.test.ts",
      "test/page/hostile.test.ts",
      "test/page/layout.test.ts",
      "test/page/live.test.ts",
      "test/page/page.test.ts",
      "test/page/permissions.test.ts",
      "test/client/react/browser.test.ts",
    ],
    programs: [...COMMAND, ...PAGE],
    reads: ["visualize/page", "examples", "test/fixtures", ...BUILD],
  },
  "newest packages": {
    tests: ["test/adapters/mcp/conformance.test.ts", "test/adapters/providers/newest-packages.test.ts"],
    programs: ["test/adapters/mcp/conformance-client.ts"],
    reads: ["test/adapters", "docs/generated/mcp-conformance.txt", ...BUILD],
  },
  packaging: {
    tests: ["test/packaging/", "test/page/package.test.ts"],
    programs: [...COMMAND, ...PAGE],
    reads: ["test/packaging", ...PACKAGE],
  },
  examples: {
    tests: ["test/examples/", "test/examples-in-docs/"],
    programs: COMMAND,
    reads: ["test/examples-in-docs", ...PACKAGE],
  },
  benches: { tests: ["test/bench/"], programs: ["bench/main.ts", "bench/child.ts"], reads: BUILD },
};

/** Tests of tasks and clients that run a second time, with tasks that are passivated after every commit that allows it. */
export const PASSIVATED: Campaign = {
  tests: ["test/runtime/", "test/client/"],
  reads: ["test/fixtures"],
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

/** Whether the tests of this process have their full counts. */
const isThorough = process.env.SIGNALBOX_TESTS === "all";

/** The number of runs of a property: `full` in campaigns and `npm run test:all`, `quick` in `npm test`. */
export const runs = (full: number, quick: number): number => (isThorough ? full : quick);

/** Whether a path of a campaign covers a file. */
export const covers = (paths: readonly string[], file: string): boolean =>
  paths.some((path) => file === path || (path.endsWith("/") && file.startsWith(path)));
