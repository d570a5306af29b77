import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyBlocks } from "../../../tools/diff/apply.ts";
import { changeOf } from "../../../tools/diff/unified.ts";

const block = (search: string, replace: string, start?: number): string =>
  [
    "<<<<<<< SEARCH",
    ...(start === undefined ? [] : [`:start_line:${start}`, "-------"]),
    ...(search === "" ? [] : [search]),
    "=======",
    ...(replace === "" ? [] : [replace]),
    ">>>>>>> REPLACE",
  ].join("\n");
const apply = (text: string, ...blocks: string[]): string => applyBlocks("f", text, blocks.join("\n"));

describe("a search/replace diff", () => {
  test("replaces, inserts and deletes lines at several places", () => {
    expect(apply("a\nb\nc\n", block("b", "B"))).toBe("a\nB\nc\n");
    expect(apply("a\nb\nc\n", block("c", "C"), block("a", ""))).toBe("b\nC\n");
    expect(apply("a\nb\n", block("", "new", 2))).toBe("a\nnew\nb\n");
    expect(apply("a\nb\n", block("", "new", 3))).toBe("a\nb\nnew\n");
    expect(apply("", block("", "new"))).toBe("new\n");
  });

  test("has the form that the guide shows", () => {
    const guide = readFileSync(new URL("../../../docs/guide/tools.md", import.meta.url), "utf8");
    const [, example = ""] = /`apply_diff` takes blocks of this form:\n\n```\n(.*?)```/s.exec(guide) ?? [];
    const lines = (text: string): string => `${"other\n".repeat(11)}${text}\n`;
    expect(apply(lines("the lines to find"), example)).toBe(lines("the lines to put there"));
  });

  test("keeps line breaks, also if the last one is missing", () => {
    expect(apply("a\r\nb\r\nc", block("b", "x\ny"))).toBe("a\r\nx\r\ny\r\nc");
    expect(apply("a\nb", block("b", "x\ny"))).toBe("a\nx\ny");
    expect(apply("a\nb", block("", "c", 3))).toBe("a\nb\nc");
    expect(apply("\uFEFFa\nb\n", block("b", "c"))).toBe("\uFEFFa\nc\n");
    expect(apply("\uFEFFa\nb\n", block("a", "x\ny"))).toBe("\uFEFFx\ny\nb\n");
  });

  test("applies all blocks or none", () => {
    expect(() => apply("a\nb\n", block("a", "A"), block("x", "X"))).toThrow(
      "Block 2 of the diff doesn't match 'f', and nothing was changed",
    );
  });

  test("selects the place nearest to :start_line:, and fails without one", () => {
    expect(apply("x\ny\nx\ny\n", block("x", "X", 3))).toBe("x\ny\nX\ny\n");
    expect(apply("x\ny\nx\ny\n", block("x", "X", 4))).toBe("x\ny\nX\ny\n");
    expect(() => apply("x\ny\nx\n", block("x", "X"))).toThrow("several places (lines 1, 3)");
    expect(() => apply("x\ny\nx\n", block("x", "X", 2))).toThrow("several places");
  });

  test("ignores white space if nothing matches exactly, and keeps the indentation of the file", () => {
    expect(apply("  if (a) {\n    b();\n  }\n", block("if (a)  {\n  b();\n}", "if (c) {\n  d();\n}"))).toBe(
      "  if (c) {\n    d();\n  }\n",
    );
    expect(apply("a  \nb\n", block("a\nb", "c"))).toBe("c\n");
    expect(() => apply("a\n\nb\n", block("   ", "x"))).toThrow("is not in the file");
  });

  test("shows the nearest text with line numbers if a block has no match", () => {
    expect(() =>
      apply("alpha\nconst total = sum(items);\nomega\n", block("const total = add(items);", "x")),
    ).toThrow(
      "The nearest text there is:\n1 | alpha\n2 | const total = sum(items);\n3 | omega\nThe search text:\nconst total = add(items);",
    );
  });

  test("rejects overlapping blocks, a diff without changes, and a malformed diff with its line", () => {
    expect(() => apply("a\nb\nc\n", block("a\nb", "x"), block("b\nc", "y"))).toThrow(
      "overlaps another block at line 2",
    );
    expect(() => apply("a\n", block("a", "a"))).toThrow("changes nothing");
    expect(() => apply("a\n", "hello")).toThrow(
      "Line 1 of the diff: expected <<<<<<< SEARCH, received 'hello'",
    );
    expect(() => apply("a\n", "<<<<<<< SEARCH\na")).toThrow(
      "Line 3 of the diff: expected =======, received the end of the diff",
    );
    expect(() => apply("a\n", "<<<<<<< SEARCH\na\n>>>>>>> REPLACE")).toThrow(
      "Line 3 of the diff: expected =======",
    );
    expect(() => apply("a\n", "")).toThrow("The diff has no block");
  });

  test("unescapes a marker with a backslash", () => {
    expect(apply("a\n=======\nb\n", block("\\=======", "\\>>>>>>> REPLACE"))).toBe("a\n>>>>>>> REPLACE\nb\n");
  });

  test("replaces any lines with any others at their line number", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "b", " ", "(", "\t"), maxLength: 4 });
    const lines = fc.array(line, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(lines, lines, fc.nat(), fc.nat(), (before, added, from, length) => {
        const at = from % before.length;
        const count = 1 + (length % (before.length - at));
        const search = before.slice(at, at + count);
        const after = [...before.slice(0, at), ...added, ...before.slice(at + count)];
        fc.pre(after.join("\n") !== before.join("\n"));
        const diff = [
          "<<<<<<< SEARCH",
          `:start_line:${at + 1}`,
          "-------",
          ...search,
          "=======",
          ...added,
          ">>>>>>> REPLACE",
        ].join("\n");
        expect(applyBlocks("f", `${before.join("\n")}\n`, diff)).toBe(`${after.join("\n")}\n`);
      }),
    );
  });
});

test("a change counts the lines that it adds and removes", () => {
  expect(changeOf("f", "", "a\nb\n").stats).toEqual({ added: 2, removed: 0 });
  expect(changeOf("f", "a\nb\n", "b\nc").stats).toEqual({ added: 1, removed: 1 });
  expect(changeOf("f", "a", "a").diff).toBe("");
});
