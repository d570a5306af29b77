import { describe, expect, test } from "vitest";
import { FIELD_FAILURES } from "./field-failures.ts";
import { testFiles, testsOfFailure, titlesIn } from "./named-tests.ts";

describe("the page about failures of other agent runtimes", () => {
  test("has each of the 32", () => expect(FIELD_FAILURES).toHaveLength(32));

  test("names a law and a test for each", () => {
    for (const [index, { what, laws }] of FIELD_FAILURES.entries()) {
      expect(laws, what).not.toBe("");
      expect(testsOfFailure(index + 1), what).not.toEqual([]);
    }
  });

  test("names each test whose title has the number of a failure", () => {
    const titled = testFiles.flatMap((file) => titlesIn(file, /\bfield failures? \d/));
    const named = FIELD_FAILURES.flatMap((_, index) => testsOfFailure(index + 1));
    expect(titled.filter((title) => !named.some((each) => each.endsWith(title)))).toEqual([]);
  });
});
