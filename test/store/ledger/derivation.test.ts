import { expect, test } from "vitest";
import { memoryJournal } from "../../../store/index.ts";
import { encodeLine } from "../../../store/journal/line.ts";
import { entriesOf } from "../../../store/ledger/derivation.ts";
import { header, settled } from "./ledger-rig.ts";

test("a call that changed 200,000 files has an entry for each of them", async () => {
  const driver = memoryJournal();
  const writes = Array.from({ length: 200_000 }, (_, index) => ({
    path: `${index}`,
    before: null,
    after: null,
  }));
  await driver.append([encodeLine(header("t")), encodeLine(settled(1, writes))], { first: true });
  const { entries } = await entriesOf("t", driver);
  expect(entries).toHaveLength(200_000);
});
