import { describe, expect, test } from "vitest";
import { hasTest, rowsOf, testFiles, textOf, titlesIn } from "./named-tests.ts";

const rows = rowsOf(textOf("docs/concepts/lifecycle-gaps.md"), /LIFE-GAP-\d{3}/);

/** The files with titles that name these gaps, with each id. */
const titled = testFiles.flatMap((file) => {
  const ids = titlesIn(file, /LIFE-GAP-\d{3}/).flatMap((title) => title.match(/LIFE-GAP-\d{3}/g) ?? []);
  return [...new Set(ids)].map((id) => ({ id, file }));
});

describe("the page about lifecycle gaps", () => {
  test("has each of the 40 once, in order", () => {
    const ids = Array.from({ length: 40 }, (_, at) => `LIFE-GAP-${String(at + 1).padStart(3, "0")}`);
    expect(rows.map(({ id }) => id)).toEqual(ids);
  });

  test("names for each the law, state or check that rules it out, and a test that exists", () => {
    expect(rows.filter(({ law, tests }) => law === "" || tests.length === 0)).toEqual([]);
    expect(rows.flatMap(({ tests }) => tests.filter((each) => !hasTest(each)))).toEqual([]);
  });

  test("names each file with a title that has the id of a gap", () => {
    const isNamed = ({ id, file }: (typeof titled)[number]): boolean =>
      rows.some((row) => row.id === id && row.tests.some((each) => each.file === file));
    expect(titled.filter((each) => !isNamed(each))).toEqual([]);
  });
});
