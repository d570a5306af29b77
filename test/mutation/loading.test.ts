import { expect, it } from "vitest";

// A mutant by which a module can't be loaded leaves other files without tests, and no test of theirs fails.
it("the machines can be loaded", async () => {
  const { taskMachine } = await import("../../machines/index.ts");
  expect(taskMachine.id).toBe("task");
});
