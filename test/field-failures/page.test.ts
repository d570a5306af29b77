import { describe, expect, test } from "vitest";
import { rowsOf, testFiles, textOf, titlesIn } from "./named-tests.ts";

const page = textOf("docs/concepts/field-failures.md");
const rows = rowsOf(page, /\d+/);

/** The titles that name these failures, with each number. */
const titled = testFiles.flatMap((file) =>
  titlesIn(file, /\bfield failures? \d/).flatMap((title) => {
    const numbers = title.match(/\bfield failures? (\d+(?:, \d+)*)/)?.[1] ?? "";
    return numbers.split(", ").map((id) => ({ id, file, title }));
  }),
);

describe("the page about failures of other agent runtimes", () => {
  test("has each of the 32 once, in order", () => {
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 32 }, (_, at) => String(at + 1)));
  });

  test("names a test for each that a law rules out, and says what does not exist for every other", () => {
    for (const { id, law, tests } of rows) {
      expect({ id, hasTest: tests.length > 0 }).toEqual({ id, hasTest: law !== "-" });
      if (law === "-") expect(page).toMatch(new RegExp(`^\\|${id}\\|.*\\b(?:does|do) not exist yet`, "m"));
    }
  });

  test("names exactly the tests whose titles have the number", () => {
    const named = rows.flatMap(({ id, tests }) => tests.map((each) => ({ id, ...each })));
    const isSame = (a: (typeof named)[number], b: (typeof titled)[number]): boolean =>
      a.id === b.id && a.file === b.file && b.title.includes(a.fragment);
    expect(named.filter((each) => !titled.some((other) => isSame(each, other)))).toEqual([]);
    expect(titled.filter((each) => !named.some((other) => isSame(other, each)))).toEqual([]);
  });
});
