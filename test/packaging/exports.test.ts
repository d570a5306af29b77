import { expect, test } from "vitest";
import { exportsText } from "./entries.ts";

/** Names that the root entry may export. */
const ROOT_NAMES = 70;

test("each entry exports what test/packaging/exports.txt lists, and the root entry few names", async () => {
  const text = exportsText();
  await expect(text).toMatchFileSnapshot("./exports.txt");
  expect(Number(/^signalbox: (\d+)$/m.exec(text)?.[1])).toBeLessThanOrEqual(ROOT_NAMES);
});
