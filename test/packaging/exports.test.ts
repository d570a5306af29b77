import { expect, test } from "vitest";
import { exportedNames, exportsText } from "./entries.ts";

const entries = exportedNames();

/** The number of names that an entry may export. An entry without a limit here may export 12. */
const LIMITS: Readonly<Record<string, number>> = {
  signalbox: 70,
  "signalbox/machines": 60,
  "signalbox/tools": 60,
  "signalbox/client": 60,
  "signalbox/verify": 40,
  "signalbox/control": 40,
  "signalbox/adapters": 40,
  "signalbox/store": 30,
  "signalbox/temporal": 30,
  "signalbox/testing": 26,
  "signalbox/trace": 16,
  "signalbox/settings": 13,
};

/** The number of distinct names that all entries together may export. */
const DISTINCT_NAMES = 510;

test("each entry exports what test/packaging/exports.txt lists", async () => {
  await expect(exportsText(entries)).toMatchFileSnapshot("./exports.txt");
});

test.each([...entries])("%s exports no more names than its limit", (entry, names) => {
  expect(names.length).toBeGreaterThan(0);
  expect(names.length).toBeLessThanOrEqual(LIMITS[entry] ?? 12);
});

test(`all entries together export at most ${DISTINCT_NAMES} names`, () => {
  const distinct = new Set([...entries.values()].flatMap((names) => names.map(({ name }) => name)));
  expect(distinct.size).toBeLessThanOrEqual(DISTINCT_NAMES);
});

test.each([...entries])("each name of %s has a docstring", (_, names) => {
  expect(names.filter(({ doc }) => doc === "").map(({ name }) => name)).toEqual([]);
});
