import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(path.join(root, "docs/concepts/features.md"), "utf8");

/** The rows of the tables: where a feature lives, and the tests that hold it. */
const rows = [...page.matchAll(/^\|(?!feature|-)([^|]*)\|([^|]*)\|([^|]*)\|$/gm)].map(
  ([, feature = "", place = "", held = ""]) => ({
    feature,
    places: [...place.matchAll(/`([\w/.-]+\/[\w/.-]*)`/g)].map(([, name = ""]) => name),
    tests: [...held.matchAll(/`(test\/[\w/.-]+)`: "([^"]*)"/g)].map(([, file = "", title = ""]) => ({
      file,
      title,
    })),
  }),
);

describe("the page about the features of Roo Code", () => {
  test.each(rows)(
    "names a place that exists and a test that has its title: $feature",
    ({ places, tests }) => {
      expect(places.length).toBeGreaterThan(0);
      expect(tests.length).toBeGreaterThan(0);
      for (const place of places) expect(existsSync(path.join(root, place)), place).toBe(true);
      for (const { file, title } of tests) {
        const text = readFileSync(path.join(root, file), "utf8");
        expect(
          titlesIn(text).some((each) => each.includes(title)),
          `${file}: ${title}`,
        ).toBe(true);
      }
    },
  );

  test("has rows", () => expect(rows.length).toBeGreaterThan(25));
});

const titlesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:test|describe|it)\b[^"\n]*\(\s*"([^"]*)"/g)].map(([, title = ""]) => title);
