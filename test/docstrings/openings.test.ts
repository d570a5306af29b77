import { expect, test } from "vitest";
import { headlessOpenings } from "./openings.ts";

test("a docstring that begins with a genitive or a clause without a noun is found", () => {
  const source = `
    /** Of a subtask. */
    a;
    /**
     * What the file was.
     */
    b;
    /** Whether there is more. */
    c;`;
  expect(headlessOpenings(source)).toEqual([
    { line: 2, text: "Of a subtask." },
    { line: 4, text: "What the file was." },
    { line: 8, text: "Whether there is more." },
  ]);
});

test("a docstring that begins with its subject or a verb is not found", () => {
  const source =
    "/** The parent of a subtask. What it is. */ /** Often called. */ /** Whether the file exists. */";
  expect(headlessOpenings(source)).toEqual([]);
});
