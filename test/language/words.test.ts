import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../examples-in-docs/program.ts";
import { countWords, handWritten, proseOf } from "./words.ts";

/** The most hand-written words of all pages, the changelog excluded. */
const WORDS_MAX = 46_000;
/** The most words of a guide outside of its code and its generated tables. */
const GUIDE_WORDS_MAX = 900;

const { stdout } = spawnSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" });
const pages = stdout.split("\n").filter((page) => page !== "" && page !== "CHANGELOG.md");
const textOf = (page: string): string => readFileSync(path.join(root, page), "utf8");
const guides = pages.filter((page) => page.startsWith("docs/guide/"));

describe("the words of a page", () => {
  const page =
    "# Two words\n\n<!-- a table -->\n\n|one|two|\n\n<!-- /a table -->\n\n```ts\nconst a = 1;\n```\n";

  test("are those outside of generated tables, and for its prose also outside of code", () => {
    expect(countWords(handWritten(page))).toBe(9);
    expect(countWords(proseOf(page))).toBe(3);
  });
});

test(`the pages have at most ${WORDS_MAX} hand-written words`, () => {
  const words = pages.map((page) => countWords(handWritten(textOf(page))));
  expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(WORDS_MAX);
});

test.each(guides)(`%s has at most ${GUIDE_WORDS_MAX} words outside of code and generated tables`, (guide) => {
  expect(countWords(proseOf(textOf(guide)))).toBeLessThanOrEqual(GUIDE_WORDS_MAX);
});
