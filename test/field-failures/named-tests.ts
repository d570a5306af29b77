import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A test, by its file and a part of its title: `test/cli/mcp.test.ts: is used after it`. */
export type NamedTest = `test/${string}: ${string}`;

/** The file of a test, and the part of its title. */
export function partsOf(test: NamedTest): { readonly file: string; readonly fragment: string } {
  const colon = test.indexOf(": ");
  return { file: test.slice(0, colon), fragment: test.slice(colon + 2) };
}

export const testFiles: readonly string[] = readdirSync(path.join(root, "test"), {
  recursive: true,
  encoding: "utf8",
})
  .filter((file) => /\.test\.tsx?$/.test(file))
  .map((file) => `test/${file}`)
  .sort();

/** The titles in a test file that match. */
export const titlesIn = (file: string, mark: RegExp): readonly string[] =>
  [...readFileSync(path.join(root, file), "utf8").matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n]|\\.)*)`/g)]
    .map(([, quoted, template]) => quoted ?? template ?? "")
    .filter((title) => mark.test(title));

/** Whether a file has a test with this part in its title. */
export function exists(test: NamedTest): boolean {
  const { file, fragment } = partsOf(test);
  return testFiles.includes(file) && titlesIn(file, /./).some((title) => title.includes(fragment));
}

/** The tests whose titles have the number of this failure. */
export const testsOfFailure = (number: number): readonly NamedTest[] =>
  testFiles.flatMap((file) =>
    titlesIn(file, /\bfield failures? \d/)
      .filter((title) => numbersIn(title).includes(number))
      .map((title): NamedTest => `test/${file.slice("test/".length)}: ${title}`),
  );

const numbersIn = (title: string): readonly number[] =>
  (/\bfield failures? (\d+(?:, \d+)*)/.exec(title)?.[1] ?? "").split(", ").map(Number);
