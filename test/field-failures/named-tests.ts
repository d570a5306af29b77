import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A row of a page's table: its id, the law or state in the second column from the right, and the tests in the last. */
export interface Row {
  readonly id: string;
  readonly law: string;
  readonly tests: readonly NamedTest[];
}

/** A test that a page names by its file and a part of its title. */
export interface NamedTest {
  readonly file: string;
  readonly fragment: string;
}

export const textOf = (file: string): string => readFileSync(path.join(root, file), "utf8");

/** The rows of the table of a page whose first cell matches `id`. */
export const rowsOf = (page: string, id: RegExp): readonly Row[] =>
  [...page.matchAll(new RegExp(`^\\|(${id.source})\\|.*\\|([^|]*)\\|([^|]*)\\|$`, "gm"))].map(
    ([, first = "", law = "", cell = ""]) => ({ id: first, law, tests: testsIn(cell) }),
  );

const testsIn = (cell: string): readonly NamedTest[] =>
  [...cell.matchAll(/`(test\/[\w/.-]+)`: ("[^"]*"(?:, "[^"]*")*)/g)].flatMap(([, file = "", quoted = ""]) =>
    [...quoted.matchAll(/"([^"]*)"/g)].map(([, fragment = ""]) => ({ file, fragment })),
  );

export const testFiles: readonly string[] = readdirSync(path.join(root, "test"), {
  recursive: true,
  encoding: "utf8",
})
  .filter((file) => /\.test\.tsx?$/.test(file))
  .map((file) => `test/${file}`);

/** The titles in a test file that match. */
export const titlesIn = (file: string, mark: RegExp): readonly string[] =>
  [...textOf(file).matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n]|\\.)*)`/g)]
    .map(([, quoted, template]) => quoted ?? template ?? "")
    .filter((title) => mark.test(title));

/** Whether the file has a title with this part. */
export const hasTest = ({ file, fragment }: NamedTest): boolean =>
  testFiles.includes(file) && titlesIn(file, /./).some((title) => title.includes(fragment));
