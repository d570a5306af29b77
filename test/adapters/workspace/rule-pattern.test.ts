// cspell:words cret
import { describe, expect, test } from "vitest";
import { globFromRoot, mayMatch, rulePatterns } from "../../../adapters/workspace/rule-pattern.ts";

describe("a glob may match a path that a rule denies", () => {
  test.each([
    ["secret", "sec*", true],
    ["secret", "a/b/s?cret/c", true],
    ["secret", "**", true],
    ["secret", "a/**/b", true],
    ["secret", "*.ts", false],
    ["secret", "secrets*", false],
    ["SECRET", "sec*", true],
    ["secret/", "s*", true],
    ["/secret", "s*", true],
    ["/secret", "a/s*", false],
    ["a/secret", "a/s*", true],
    ["a/secret", "*/secret", true],
    ["a/secret", "b/s*", false],
    ["a/secret", "a*", false],
    ["a/**", "a/b*", true],
    ["a/**/b", "a/x/y/b*", true],
    ["a/**/b", "a/b?", false],
    ["**/b", "x/y/b*", true],
    ["*.key", "a*.k*", true],
    ["*.key", "*.ts", false],
    ["a[0-9]", "a5*", true],
    ["\\#a", "#*", true],
    ["!secret", "sec*", false],
    ["# secret", "*", false],
    ["b", "*/../b", true],
    ["x", "y".repeat(1_001), true],
    ["caf\u00e9", "cafe\u0301*", true],
  ])("rule %s, glob %s: %s", (rule, glob, expected) => {
    expect(mayMatch(rulePatterns(rule), glob)).toBe(expected);
  });

  test("which takes no longer for many stars", () => {
    const pattern = rulePatterns(`${"**/a*a*a*/".repeat(60)}b`);
    expect(mayMatch(pattern, `${"*a*a*/".repeat(60)}c`)).toBe(false);
  });

  test.each([
    ["/w/a*", "a*"],
    ["/w", ""],
    ["/*/a", "**"],
    ["/w/../w/a*", "../w/a*"],
    ["/../w", "**"],
    ["/other/a*", undefined],
    ["a*", "a*"],
  ])("of %s only what is in /w counts", (glob, expected) => {
    expect(globFromRoot("/w", glob)).toBe(expected);
  });
});
