import { expect, test } from "vitest";
import { signalbox } from "./in-process.ts";

test.each([
  ["serve", "Big GPUs"],
  ["worker", "Big GPUs"],
  ["worker", ""],
])("%s refuses the pool %j, which is no name", async (command, pool) => {
  const { code, stderr } = await signalbox(command, "--pool", pool);
  expect(code).toBe(1);
  expect(stderr).toContain("Expected a pool of 1 to 40 lower-case letters");
});

test("serve refuses a pool where it has no workers", async () => {
  const { code, stderr } = await signalbox("serve", "--pool", "gpu");
  expect(code).toBe(1);
  expect(stderr).toContain("Add --workers, or leave out --pool.");
});
