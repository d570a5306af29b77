import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MergedText, mergeTexts } from "../../../tools/diff/three-way.ts";

const merge = (base: string, ours: string, theirs: string): MergedText =>
  mergeTexts({ base, ours: { text: ours, label: "ours" }, theirs: { text: theirs, label: "theirs" } });

const BASE = "1\n2\n3\n4\n5\n6\n";

describe("a merge of two changes of a text", () => {
  test.each([
    ["of other lines has both", "A\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\nF\n", "A\n2\n3\n4\n5\nF\n"],
    [
      "of the same lines to the same text has it once",
      "1\nB\n3\n4\n5\n6\n",
      "1\nB\n3\n4\n5\n6\n",
      "1\nB\n3\n4\n5\n6\n",
    ],
    [
      "that adds and removes lines has both",
      "1\n2\n2b\n3\n4\n5\n6\n",
      "1\n2\n3\n4\n6\n",
      "1\n2\n2b\n3\n4\n6\n",
    ],
    [
      "at the end, which has no line break, keeps that",
      "A\n2\n3\n4\n5\n6",
      "1\n2\n3\nD\n5\n6\n",
      "A\n2\n3\nD\n5\n6",
    ],
  ])("%s", (_, ours, theirs, expected) => {
    expect(merge(BASE, ours, theirs)).toEqual({ text: expected, conflicts: [] });
  });

  test("of a text of 200,000 lines has both", () => {
    const long = "line\n".repeat(200_000);
    expect(merge(`1\n${long}`, `A\n${long}`, `1\n${long}Z\n`).text).toBe(`A\n${long}Z\n`);
  });

  test("of the same lines has markers, and names the lines of ours", () => {
    expect(merge(BASE, "0\n1\n2\nC\n4\n5\n6\n", "1\n2\nX\nY\n4\n5\n6\n")).toEqual({
      text: "0\n1\n2\n<<<<<<< ours\nC\n=======\nX\nY\n>>>>>>> theirs\n4\n5\n6\n",
      conflicts: [4],
    });
  });

  test("of line breaks on one side and of a line on the other is a conflict", () => {
    expect(merge(BASE, BASE.replace("1", "A"), BASE.replaceAll("\n", "\r\n")).conflicts).toEqual([1]);
  });

  test("of adjacent lines is a conflict", () => {
    expect(merge(BASE, "1\nB\n3\n4\n5\n6\n", "1\n2\nC\n4\n5\n6\n").conflicts).toEqual([2]);
  });

  test("whose last lines have no line break gets markers on lines of their own", () => {
    expect(merge("1", "2", "3").text).toBe("<<<<<<< ours\n2\n=======\n3\n>>>>>>> theirs\n");
  });

  const text = fc
    .array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 })
    .map((lines) => lines.join("\n"));

  test("is the changed side where only one changed, and the common text where both agree", () => {
    fc.assert(
      fc.property(text, text, (base, other) => {
        expect(merge(base, base, other)).toEqual({ text: other, conflicts: [] });
        expect(merge(base, other, base)).toEqual({ text: other, conflicts: [] });
        expect(merge(base, other, other)).toEqual({ text: other, conflicts: [] });
      }),
    );
  });

  test("loses no line that one side added, and conflicts whichever side is ours", () => {
    fc.assert(
      fc.property(text, text, text, (base, left, right) => {
        const marks = { one: `${left}\nLEFT\n`, other: `RIGHT\n${right}` };
        const merged = merge(base, marks.one, marks.other);
        expect(merged.text).toContain("LEFT\n");
        expect(merged.text).toContain("RIGHT\n");
        expect(merge(base, marks.other, marks.one).conflicts.length).toBe(merged.conflicts.length);
      }),
    );
  });
});
