import fc from "fast-check";
import ignore from "ignore";
import { describe, expect, test } from "vitest";
import { parseWildcards } from "../../../tools/policy/wildcards.ts";

const text = (characters: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength });
const pattern = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.oneof(fc.constant("**"), text("ab*?.", 4)), { minLength: 1, maxLength: 4 }),
    fc.boolean(),
  )
  .filter(([, names]) => names.at(-1) !== "**" && names.every((name) => !/^\.\.?$|\*{3}/.test(name)))
  .map(([isRooted, names, isFolder]) => `${isRooted ? "/" : ""}${names.join("/")}${isFolder ? "/" : ""}`);
const path = fc.array(text("ab.", 3), { minLength: 1, maxLength: 5 });

describe("Wildcards", () => {
  test("match as a line of .gitignore does", () => {
    fc.assert(
      fc.property(pattern, path, (line, names) => {
        const rules = ignore({ ignorecase: false, allowRelativePaths: true }).add({ pattern: line });
        const expected = rules.ignores(names.join("/")) || rules.ignores(`${names.join("/")}/`);
        expect(parseWildcards(line).matches(names)).toBe(expected);
      }),
      { numRuns: 20_000 },
    );
  });

  test.each([
    ["folders", `${"**/a/".repeat(12)}b`, Array.from({ length: 2_000 }, () => "a")],
    ["characters", `${"*a".repeat(40)}b`, ["a".repeat(4_000)]],
  ])("take no longer where many could match the same %s", (_, line, names) => {
    expect(parseWildcards(line).matches(names)).toBe(false);
    expect(parseWildcards(line).matches([...names, "b"])).toBe(line.includes("**"));
  });
});
