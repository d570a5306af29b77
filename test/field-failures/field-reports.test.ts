import { describe, expect, test } from "vitest";
import { hasTest, rowsOf, textOf } from "./named-tests.ts";

const rows = rowsOf(textOf("docs/concepts/field-reports.md"), /\d[\d, ]*/);

describe("the page about field reports", () => {
  test("has each of the 26 reports once, in order", () => {
    const numbers = rows.map(({ id }) => id.split(", ").map(Number));
    expect(numbers.flat()).toHaveLength(26);
    expect(numbers).toEqual([...numbers].sort(([one = 0], [other = 0]) => one - other));
  });

  test("names for each what rules it out, and a test that exists", () => {
    expect(rows.filter(({ law, tests }) => law === "" || tests.length === 0)).toEqual([]);
    expect(rows.flatMap(({ tests }) => tests.filter((each) => !hasTest(each)))).toEqual([]);
  });
});
