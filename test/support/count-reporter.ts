import type { Reporter, TestModule } from "vitest/node";

/** Prints `N passed, N failed, N skipped` as the last line of a run. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      const tests = [...module.children.allTests()];
      if (!module.ok() && tests.every((test) => test.result().state !== "failed")) count.failed += 1;
      for (const test of tests) count[test.result().state] += 1;
    }
    const line = `${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`;
    process.once("exit", () => process.stdout.write(`${line}\n`));
  }
}
