import { expect, test } from "vitest";
import { commentFaults } from "./faults.ts";

test("a docstring that begins with a genitive or a clause without a noun is found", () => {
  const source = `
    /** Of a subtask. */
    a;
    /**
     * What the file was.
     */
    b;
    /** Whether there is another. */
    c;`;
  expect(commentFaults(source).map(({ line, received }) => [line, received])).toEqual([
    [2, "Of"],
    [4, "What"],
    [8, "Whether there"],
  ]);
});

test("a phrase that a reader has to translate is found, also across lines", () => {
  const source = `
    /**
     * The default is that
     * of the process.
     */
    a;
    /** The other one ends, too. It waits no more. */
    const b = "That of a string is text.";
    // The last comment: of which none is left.`;
  expect(commentFaults(source).map(({ received }) => received)).toEqual([
    "that of",
    ", too.",
    "no more",
    "of which",
  ]);
});

test("a docstring that begins with its subject or a verb is not found", () => {
  const source =
    "/** The parent of a subtask. */ a; /** Often called. */ b; /** Whether no more wait than run. */ c;";
  expect(commentFaults(source)).toEqual([]);
});
