import { expect, test } from "vitest";
import { languageFaults, type Passage } from "./faults.ts";
import { proseIn } from "./markdown.ts";
import { commentsIn, literalsIn, titlesIn } from "./source.ts";

const foundIn = (passages: readonly Passage[]) =>
  passages.flatMap(languageFaults).map(({ line, received }) => [line, received]);

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
  expect(foundIn(commentsIn(source))).toEqual([
    [2, "Of"],
    [4, "What"],
    [8, "Whether there"],
  ]);
});

test("a phrase that a reader has to translate is found in a comment, also across lines", () => {
  const source = `
    /**
     * The default is that
     * of the process.
     */
    a;
    /** The other one ends, too. It waits no more. */
    const b = "That of a string is text.";
    // The last comment: of which none is left.`;
  expect(foundIn(commentsIn(source))).toEqual([
    [2, "that of"],
    [7, ", too."],
    [7, "no more"],
    [9, "of which"],
  ]);
});

test("a docstring that begins with its subject or a verb is accepted", () => {
  const source =
    "/** The parent of a subtask. */ a; /** Often called. */ b; /** Whether no more wait than run. */ c;";
  expect(foundIn(commentsIn(source))).toEqual([]);
});

test("a text of the source is checked: strings, templates and the text of an element", () => {
  const source = `
    fail("The key is that of the profile.");
    fail(\`\${path} was changed \${times} times meanwhile.\`);
    const cell = <td title="No more events">Of a step</td>;
    describe("What is sent. Expected: Which tools a task has.");`;
  expect(foundIn(literalsIn(source, "a.tsx"))).toEqual([
    [2, "that of"],
    [3, "meanwhile"],
    [4, "No more"],
    [4, "Of"],
    [5, "What"],
  ]);
});

test("a question and a word inside a text are accepted", () => {
  const source = `["Which name? What else?", "what is missing", "no more than 3", "the list of files"];`;
  expect(foundIn(literalsIn(source))).toEqual([]);
});

test("only the outermost title of a test needs a subject", () => {
  const source = `
    describe("what a call wrote", () => {
      test("of which nothing is left", () => {});
      it.each([1])("that ends with %i", () => {});
    });
    test.each([1])("L7: of two calls the first of %i", () => {});
    describe.skipIf(x)("a call", () => test(\`is \${y} no more\`, () => {}));
    test("what is left?", () => {});
    other("that of a string");`;
  expect(foundIn(titlesIn(source))).toEqual([
    [2, "what"],
    [3, "of which"],
    [6, "L7: of"],
    [7, "no more"],
  ]);
});

test("the prose of a page is checked by paragraph, item and cell, not its code or the questions of its headings", () => {
  const page = `# What is saved

The budget is that
of the tree. What fails is an error.

- Of two rules the first wins.
- The rule ends, too.

|name|What it does|
|-|-|
|\`of which\`|Those of a task|

\`\`\`ts
// That of the process.
\`\`\`

Whether it works is known. What next?
`;
  expect(foundIn(proseIn(page))).toEqual([
    [3, "What"],
    [3, "that of"],
    [6, "Of"],
    [7, ", too."],
    [9, "What"],
    [11, "Those"],
    [11, "Those of"],
  ]);
});
