import { describe, expect, test } from "vitest";
import { gapId, LIFECYCLE_GAPS } from "./lifecycle-gaps.ts";
import { exists, partsOf, testFiles, titlesIn } from "./named-tests.ts";

/** The files with titles that name these gaps, with each id. */
const titled = testFiles.flatMap((file) => {
  const ids = titlesIn(file, /LIFE-GAP-\d{3}/).flatMap((title) => title.match(/LIFE-GAP-\d{3}/g) ?? []);
  return [...new Set(ids)].map((id) => ({ id, file }));
});

describe("the page about lifecycle gaps", () => {
  test("has each of the 40", () => expect(LIFECYCLE_GAPS).toHaveLength(40));

  test("names for each the law, state or check that rules it out, and a test that exists", () => {
    expect(LIFECYCLE_GAPS.filter(({ ruledOutBy, tests }) => ruledOutBy === "" || tests.length === 0)).toEqual(
      [],
    );
    expect(LIFECYCLE_GAPS.flatMap(({ tests }) => tests.filter((each) => !exists(each)))).toEqual([]);
  });

  test("names each file with a title that has the id of a gap", () => {
    const named = LIFECYCLE_GAPS.flatMap(({ tests }, index) =>
      tests.map((each) => ({ id: gapId(index), file: partsOf(each).file })),
    );
    expect(
      titled.filter(({ id, file }) => !named.some((each) => each.id === id && each.file === file)),
    ).toEqual([]);
  });
});
