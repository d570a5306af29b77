import { readdirSync } from "node:fs";

/** A group of tests that takes minutes, or needs more than Node. `npm test` leaves it out. */
export interface Campaign {
  /** Test files, or folders of them (ending with `/`), from the root of the package. */
  readonly tests: readonly string[];
  /** Test files and folders that do not belong to it. */
  readonly except?: readonly string[];
  /** The files and folders that it tries. `.ci/run` runs it again where one of them has changed, or one of its tests. */
  readonly about: readonly string[];
  /** Whether the result also depends on what a registry has today. Then it counts for no later run. */
  readonly needsRegistry?: true;
}

/** The folders of the code that reopens a task from its journal. */
const RECOVERY = ["actors", "machines", "runtime", "store", "wire/journal"];
const MODEL = ["machines", "control", "verify", "test/support/laws.ts"];
const BUILD = [
  "esbuild.config.ts",
  "package.json",
  "cli/package.json",
  "cluster/package.json",
  "visualize/package.json",
];
/** The command without its terminal and what is built of it. */
const COMMAND = readdirSync(new URL("../../cli", import.meta.url))
  .filter((name) => !["terminal", "dist", "node_modules"].includes(name))
  .map((name) => `cli/${name}`);
const GUIDES = ["docs", "examples", "README.md"];
const terminal = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/cli/terminal/${name}.test.ts`);

export const CAMPAIGNS: Readonly<Record<string, Campaign>> = {
  "kill matrix": {
    tests: ["test/crash/controlled.test.ts", "test/crash/kills.test.ts"],
    about: [...RECOVERY, "control"],
  },
  "journal prefixes": { tests: ["test/crash/prefixes.test.ts"], about: RECOVERY },
  "losing disk": { tests: ["test/crash/losing.test.ts"], about: RECOVERY },
  chaos: {
    tests: ["test/chaos/chaos.test.ts"],
    about: [
      ...RECOVERY,
      "cluster",
      "ports",
      "server",
      "cli/commands/db.ts",
      "cli/commands/serve.ts",
      "test/chaos",
    ],
  },
  git: {
    tests: [
      "test/adapters/checkpoints/",
      "test/adapters/repository/",
      "test/runtime/ledger-commands.test.ts",
    ],
    about: ["adapters/checkpoints", "adapters/repository", "runtime/features", "store/ledger"],
  },
  "exhaustive exploration": {
    tests: [
      "test/verify/exploration.test.ts",
      "test/verify/ownership/",
      "test/verify/races.test.ts",
      "test/verify/shipped-protocols.test.ts",
    ],
    about: [...MODEL, "control"],
  },
  "seeded faults": {
    tests: [
      "test/verify/faults.test.ts",
      "test/verify/counterexamples.test.ts",
      "test/machines/task/laws.test.ts",
      "test/machines/task/schedules.test.ts",
      "test/mutation/",
      "test/testing/crashing.test.ts",
    ],
    about: [...MODEL, "testing", "test/support/control-faults.ts", "test/support/seeded-faults.ts"],
  },
  "command lines in shells": {
    tests: ["test/tools/policy/allowed-lines.property.test.ts", "test/tools/policy/commands.test.ts"],
    about: ["tools/policy", "tools/command-line", "adapters/shell"],
  },
  "long runs": {
    tests: [
      "test/cli/verify.test.ts",
      "test/crash/settled-logs.test.ts",
      "test/machines/task/schedule.test.ts",
      "test/refusals/",
      "test/runtime/bad-input.test.ts",
      "test/runtime/condensing.test.ts",
      "test/runtime/imitation.test.ts",
      "test/runtime/recovery-formats.test.ts",
      "test/runtime/recovery.property.test.ts",
      "test/runtime/subtasks/subtasks-crash.test.ts",
      "test/server/readers.test.ts",
      "test/server/resume.test.ts",
      "test/store/ledger/exploration.test.ts",
      "test/verify/monitor/",
      "test/verify/simulation/",
      "test/verify/subtasks/",
    ],
    about: [...RECOVERY, "cli/verify", "server", "verify"],
  },
  "mutated responses": {
    tests: ["test/runtime/mutated-responses/"],
    about: [
      "actors/llm",
      "adapters/ai-sdk",
      "adapters/anthropic",
      "adapters/xml-tools",
      "machines",
      "runtime/task",
    ],
  },
  "built CLI": {
    tests: [
      "test/cli/acp/acpx.test.ts",
      "test/cli/acp/interruptions.test.ts",
      "test/cli/acp/process.test.ts",
      "test/cli/acp/prompt.test.ts",
      "test/cli/advice.test.ts",
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
      "test/cli/output.test.ts",
      "test/cli/print/asks.test.ts",
      "test/cli/restore.test.ts",
      "test/cli/run-flags.test.ts",
      "test/cli/settings.test.ts",
      "test/cli/show-page.test.ts",
      "test/cli/signals.test.ts",
      "test/cli/stream/stream.test.ts",
      "test/cli/subtasks.test.ts",
      "test/cli/verify-built.test.ts",
      "test/cli/verify-page.test.ts",
      "test/contract/cancel.test.ts",
      "test/field-failures/processes.test.ts",
      "test/server/command.test.ts",
    ],
    about: [...COMMAND, "server", "settings", ...BUILD],
  },
  "control suites": {
    tests: [
      "test/cli/control/direction.test.ts",
      "test/cli/control/kill.test.ts",
      "test/cli/control/settings.test.ts",
    ],
    about: ["adapters/sandbox", "adapters/shell", "cli/control", "control", "runtime", ...BUILD],
  },
  terminal: {
    tests: [
      ...terminal("asks", "attention", "completion", "edited-proposal", "first-screen", "leaving", "menu"),
      ...terminal("multi-line", "own-commands", "permissions", "prompt-command", "rewind", "screens"),
      ...terminal("slash-commands", "status-line"),
    ],
    about: ["cli/terminal", "cli/show", "cli/run", ...BUILD],
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
    about: ["adapters/browser", "client/react", "server", "visualize", ...BUILD],
  },
  "newest packages": {
    tests: ["test/adapters/mcp/conformance.test.ts", "test/adapters/providers/newest-packages.test.ts"],
    about: ["adapters/mcp", "adapters/providers"],
    needsRegistry: true,
  },
  packaging: {
    tests: ["test/packaging/", "test/page/package.test.ts"],
    about: [".ci", "cli/npm", "index.ts", "signalbox.js", "README.md", "CHANGELOG.md", "LICENSE", ...BUILD],
  },
  examples: {
    tests: ["test/examples/", "test/examples-in-docs/"],
    about: ["runtime", "test/packaging/exports.txt", ...GUIDES, ...BUILD],
  },
  site: {
    tests: ["test/site/"],
    about: ["test/packaging/exports.txt", "typedoc.config.mjs", ...GUIDES],
  },
  benches: {
    tests: ["test/bench/"],
    about: ["bench", ...BUILD],
  },
};

/** Tests of tasks and clients that run a second time, with tasks that are passivated after every commit that allows it. */
export const PASSIVATED: Campaign = {
  tests: ["test/runtime/", "test/client/"],
  except: [
    "test/client/react/",
    "test/client/telemetry/",
    "test/runtime/passivation.test.ts",
    "test/runtime/mutated-responses/",
  ],
  about: ["actors", "client", "machines", "runtime", "store"],
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

/** Whether this is `npm run test:all` or `test:ci`. */
const isThorough = process.env.SIGNALBOX_TESTS === "all";

/** The number of runs of a property: `full` in `npm run test:all` and `test:ci`, `quick` in `npm test`. */
export const runs = (full: number, quick: number): number => (isThorough ? full : quick);
