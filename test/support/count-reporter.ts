import { existsSync } from "node:fs";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { type RanFile, record, resultsOf } from "./campaign-record.ts";
import { CAMPAIGNS, ISOLATED, isNamed } from "./campaigns.ts";

interface Options {
  readonly mode: string;
  /** The digests of the campaigns as the run began: a file may change while the tests run. Empty in `npm test`. */
  readonly now: ReadonlyMap<string, string>;
  /** The names of the campaigns that the run leaves out. */
  readonly leftOut: readonly string[];
}

/** Prints what was left out, and `N passed, N failed, N skipped` as the last line. Writes down which campaigns passed. */
export class CountReporter implements Reporter {
  readonly #options: Options;
  #isPartial = false;

  constructor(options: Options) {
    this.#options = options;
  }

  onInit({ config }: Vitest): void {
    this.#isPartial = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const { mode, now, leftOut } = this.#options;
    const missing = [...Object.values(CAMPAIGNS).flatMap(({ tests }) => tests), ...ISOLATED].filter(
      (path) => !isNamed && !existsSync(path),
    );
    const count = { passed: 0, failed: errors.length + missing.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      if (!module.ok() && tests.every((test) => test.result().state !== "failed")) count.failed += 1;
      for (const test of tests) count[test.result().state] += 1;
    }
    const lines = [
      ...missing.map((path) => `test/support/campaigns.ts names ${path}, which does not exist. Correct it.`),
      ...leftOutLines(mode, leftOut),
      ...skippedIn(modules),
      `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`,
    ];
    if (missing.length > 0) process.exitCode = 1;
    if (now.size > 0 && !this.#isPartial) record(resultsOf(modules.map(ranFile), now));
    process.once("exit", () => process.stdout.write(`${lines.join("\n")}\n`));
  }
}

function leftOutLines(mode: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return mode === "ci"
    ? [`Left out, since they passed with the same files (docs/generated/campaigns.txt): ${names.join(", ")}.`]
    : [`Left out: ${names.join(", ")}. \`npm run test:all\` runs them.`];
}

const ranFile = (module: TestModule): RanFile => ({
  file: module.relativeModuleId,
  isPassive: module.project.name === "passive",
  hasPassed: module.ok() && [...module.children.allTests("passed")].length > 0,
});

/** The files with skipped tests: this machine lacks their requirements. */
function skippedIn(modules: readonly TestModule[]): readonly string[] {
  const lines = modules.flatMap((module) => {
    const skipped = [...module.children.allTests("skipped")].length;
    if (skipped === 0) return [];
    const needs = REQUIREMENTS.find(([pattern]) => pattern.test(module.relativeModuleId))?.[1];
    return [`Left out: ${skipped} tests of ${module.relativeModuleId}${needs ? ` (${needs})` : ""}`];
  });
  return lines.sort();
}

const REQUIREMENTS: readonly (readonly [RegExp, string])[] = [
  [/(page|hostile|live)\.test\.ts$/, "no Chromium, or no `npm run build`"],
  [/(full-disk|faults)\.test\.ts$/, "no file system of a fixed size"],
  [/store\/postgres\/|cli\/db\.test\.ts$/, "no PostgreSQL"],
  [/./, "not on this platform"],
];
