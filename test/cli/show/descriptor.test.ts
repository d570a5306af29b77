import { expect, test } from "vitest";
import { formatToolBody, formatToolTitle } from "../../../cli/show/descriptor.ts";

test("a call that reads a skill is shown with the name of the skill only", () => {
  const descriptor = { tool: "skill", skill: "release", content: "x" };
  expect(formatToolTitle(descriptor)).toBe("Read the skill release");
  expect(formatToolBody(descriptor)).toEqual([]);
});
