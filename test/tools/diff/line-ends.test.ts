import { expect, test } from "vitest";
import { withEndsOf } from "../../../tools/diff/line-ends.ts";

test("200,000 lines that replace lines with both kinds of line breaks get the breaks of those", () => {
  const lines = 200_000;
  const before = `1\r\n${"old\n".repeat(lines)}`;
  expect(withEndsOf(before, `1\n${"new\n".repeat(lines)}`)).toBe(`1\r\n${"new\n".repeat(lines)}`);
});
