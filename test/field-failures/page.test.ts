import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(path.join(root, "docs/concepts/field-failures.md"), "utf8");

/** One line of the page's table. */
interface Line {
  readonly number: number;
  readonly law: string;
  readonly tests: readonly { readonly file: string; readonly fragments: readonly string[] }[];
}

const lines: readonly Line[] = [...page.matchAll(/^\|(\d+)\|.*\|([^|]*)\|([^|]*)\|$/gm)].map(
  ([, number, law = "", cell = ""]) => ({
    number: Number(number),
    law,
    tests: [...cell.matchAll(/`(test\/[\w/.-]+)`: ("[^"]*"(?:, "[^"]*")*)/g)].map(
      ([, file = "", quoted = ""]) => ({
        file,
        fragments: [...quoted.matchAll(/"([^"]*)"/g)].map(([, fragment = ""]) => fragment),
      }),
    ),
  }),
);

/** The titles of a test file that name these failures. */
function titlesIn(file: string): readonly { readonly title: string; readonly numbers: readonly number[] }[] {
  const text = readFileSync(path.join(root, file), "utf8");
  return [...text.matchAll(/"([^"\n]*\bfield failures? (\d+(?:, \d+)*)[^"\n]*)"/g)].map(
    ([, title = "", numbers = ""]) => ({ title, numbers: numbers.split(", ").map(Number) }),
  );
}

const files = readdirSync(path.join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => `test/${file}`);

describe("the page about failures of other agent runtimes", () => {
  test("has each of the 32 once, in order", () => {
    expect(lines.map(({ number }) => number)).toEqual(Array.from({ length: 32 }, (_, at) => at + 1));
  });

  test("names a test for each that a law rules out, and says what does not exist for every other", () => {
    for (const { number, law, tests } of lines) {
      expect({ number, hasTest: tests.length > 0 }).toEqual({ number, hasTest: law !== "-" });
      if (law === "-")
        expect(page).toMatch(new RegExp(`^\\|${number}\\|.*\\b(?:does|do) not exist yet`, "m"));
    }
  });

  test("names exactly the tests whose titles have the number", () => {
    const named = lines.flatMap(({ number, tests }) =>
      tests.flatMap(({ file, fragments }) => fragments.map((fragment) => ({ number, file, fragment }))),
    );
    const titled = files.flatMap((file) =>
      titlesIn(file).flatMap(({ title, numbers }) => numbers.map((number) => ({ number, file, title }))),
    );
    const isSame = (a: (typeof named)[number], b: (typeof titled)[number]): boolean =>
      a.number === b.number && a.file === b.file && b.title.includes(a.fragment);
    expect(named.filter((each) => !titled.some((other) => isSame(each, other)))).toEqual([]);
    expect(titled.filter((each) => !named.some((other) => isSame(other, each)))).toEqual([]);
  });
});
