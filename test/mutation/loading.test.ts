import { expect, it } from "vitest";

// A mutant that breaks the loading of a module leaves test files without tests, so no other test fails.
it("the machines load", async () => {
  const { taskMachine } = await import("../../machines/index.ts");
  expect(taskMachine.id).toBe("task");
});
