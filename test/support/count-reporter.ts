import { existsSync } from "node:fs";
import type { Reporter, TestModule, Vitest } from "vitest/node";
import { CAMPAIGNS, campaignOf, ISOLATED, isNamed } from "./campaigns.ts";

/** Prints the skipped campaigns, and `N passed, N failed, N skipped` as the last line. */
export default class CountReporter implements Reporter {
  #isComplete = false;

  onInit({ vite }: Vitest): void {
    this.#isComplete = vite.config.mode === "all";
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const missing = [...Object.values(CAMPAIGNS).flat(), ...ISOLATED].filter(
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
      ...(this.#isComplete ? skippedIn(modules) : leftOutOf(modules)),
      `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`,
    ];
    if (missing.length > 0) process.exitCode = 1;
    process.once("exit", () => process.stdout.write(`${lines.join("\n")}\n`));
  }
}

/** The campaigns of which no file ran. */
function leftOutOf(modules: readonly TestModule[]): readonly string[] {
  if (isNamed) return [];
  const ran = new Set(modules.map(({ relativeModuleId }) => campaignOf(relativeModuleId)));
  const names = Object.keys(CAMPAIGNS).filter((name) => !ran.has(name));
  return names.length === 0 ? [] : [`Left out: ${names.join(", ")}. \`npm run test:all\` runs them.`];
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
