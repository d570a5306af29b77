import { existsSync } from "node:fs";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { ALL_CAMPAIGNS, digests, passedBefore, record } from "./campaign-record.ts";
import { CAMPAIGNS, covers, ISOLATED, isNamed } from "./campaigns.ts";

/** Prints what was left out, and `N passed, N failed, N skipped` as the last line. Writes down which campaigns passed. */
export default class CountReporter implements Reporter {
  #mode = "";
  /** Taken at the start: a file may change while the tests run. */
  #digests: ReadonlyMap<string, string> = new Map();

  async onInit({ vite }: Vitest): Promise<void> {
    this.#mode = vite.config.mode;
    if (this.#hasCampaigns) this.#digests = await digests();
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
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
      ...(isNamed ? [] : this.#leftOut()),
      ...skippedIn(modules),
      `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`,
    ];
    if (missing.length > 0) process.exitCode = 1;
    if (this.#hasCampaigns) record(resultsOf(modules, this.#digests));
    process.once("exit", () => process.stdout.write(`${lines.join("\n")}\n`));
  }

  get #hasCampaigns(): boolean {
    return !isNamed && ["all", "ci"].includes(this.#mode);
  }

  /** The campaigns that this run leaves out. */
  #leftOut(): readonly string[] {
    if (this.#mode === "all") return [];
    if (this.#mode !== "ci")
      return [`Left out: ${Object.keys(CAMPAIGNS).join(", ")}. \`npm run test:all\` runs them.`];
    return passedBefore(this.#digests).map(
      (name) => `Passed before with the same files: ${name} (docs/generated/campaigns.txt)`,
    );
  }
}

/** The digest of each campaign that ran and passed, and undefined for one that failed or of which a file was skipped. */
function resultsOf(
  modules: readonly TestModule[],
  now: ReadonlyMap<string, string>,
): ReadonlyMap<string, string | undefined> {
  const results = new Map<string, string | undefined>();
  for (const [name, { tests }] of Object.entries(ALL_CAMPAIGNS)) {
    const project = name === "passivation" ? "passive" : "campaigns";
    const ran = modules.filter(
      (module) => module.project.name === project && covers(tests, module.relativeModuleId),
    );
    const passed = ran.every((module) => module.ok() && [...module.children.allTests("passed")].length > 0);
    if (ran.length > 0) results.set(name, passed ? now.get(name) : undefined);
  }
  return results;
}

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
  [/./, "not on this platform"],
];
