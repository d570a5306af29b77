import { describe, expect, test } from "vitest";
import { FIELD_REPORTS } from "./field-reports.ts";
import { exists } from "./named-tests.ts";

describe("the page about field reports", () => {
  test("has each of the 26 reports once, in order", () => {
    const numbers = FIELD_REPORTS.flatMap((report) => report.numbers.slice(0, 1));
    expect(new Set(FIELD_REPORTS.flatMap((report) => report.numbers)).size).toBe(26);
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  });

  test("names for each what rules it out, and a test that exists", () => {
    expect(FIELD_REPORTS.filter(({ ruledOutBy, tests }) => ruledOutBy === "" || tests.length === 0)).toEqual(
      [],
    );
    expect(FIELD_REPORTS.flatMap(({ tests }) => tests.filter((each) => !exists(each)))).toEqual([]);
  });
});
