import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Mention, type MentionSubject, parseMentions } from "../../../actors/context/mention.ts";
import { test as it } from "../../support/prop.ts";

const file = (path: string, isQuoted = false): MentionSubject => ({ kind: "file", path, isQuoted });
const folder = (path: string, isQuoted = false): MentionSubject => ({ kind: "folder", path, isQuoted });

const subjects = (text: string): MentionSubject[] =>
  parseMentions(text).map(({ start: _start, end: _end, ...subject }) => subject);

const sources = (text: string): string[] =>
  parseMentions(text).map(({ start, end }) => text.slice(start, end));

describe("a text has the mentions", () => {
  test.each<[string, MentionSubject[]]>([
    ["@a.ts", [file("a.ts")]],
    ["Look at @src/a.ts.", [file("src/a.ts")]],
    ["(@src/a.ts)", [file("src/a.ts")]],
    ["Is it @a.ts?! Or @b.ts;", [file("a.ts"), file("b.ts")]],
    ["one\n@a.ts\ttwo", [file("a.ts")]],
    ["@src/", [folder("src/")]],
    ["see @src/, please", [folder("src/")]],
    ['@"a file.txt" and more', [file("a file.txt", true)]],
    ['@"my folder/"', [folder("my folder/", true)]],
    ['@"what?"', [file("what?", true)]],
    ['@"problems"', [file("problems", true)]],
    ["@a\\ file.txt and more", [file("a file.txt")]],
    ["@a\\b.txt", [file("a\\b.txt")]],
    ["@git-changes", [{ kind: "changes" }]],
    ["@problems: fix them", [{ kind: "problems" }]],
    ["@0123abc", [{ kind: "commit", hash: "0123abc" }]],
    ["@0123ABC!", [{ kind: "commit", hash: "0123abc" }]],
    [`@${"a".repeat(40)}`, [{ kind: "commit", hash: "a".repeat(40) }]],
    [`@${"a".repeat(41)}`, [file("a".repeat(41))]],
    ["@012abc", [file("012abc")]],
    ["@scope/package", [file("scope/package")]],
    ["@ä/ö.ts", [file("ä/ö.ts")]],
    ["@a.ts@b.ts", [file("a.ts@b.ts")]],
  ])("%j", (text, expected) => {
    expect(subjects(text)).toEqual(expected);
  });

  test.each([
    "",
    "@",
    "@ a.ts",
    "@...",
    '@""',
    '@" "',
    "me@example.com",
    "`@a.ts`",
    "x(y)@a.ts",
    `@${"a".repeat(1_025)}`,
  ])("%j: none", (text) => {
    expect(subjects(text)).toEqual([]);
  });

  test("from their `@` to their end, without the punctuation after them", () => {
    expect(sources('A @a.ts, (@"b c") and @d\\ e.')).toEqual(["@a.ts", '@"b c"', "@d\\ e"]);
  });
});

const pieces = fc.constantFrom(
  "@",
  '"',
  "\\",
  " ",
  "\\ ",
  "/",
  ".",
  "(",
  ")",
  "\n",
  "a",
  "git-changes",
  "abc1234",
);
const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(pieces).map((parts) => parts.join("")),
);

const isMention = (text: string, { start, end }: Mention): boolean =>
  text.charAt(start) === "@" && end > start + 1 && end <= text.length;

it.prop<[string]>([texts])("the mentions of any text are disjoint parts of it, in order", (text) => {
  const mentions = parseMentions(text);
  for (const mention of mentions) expect(isMention(text, mention)).toBe(true);
  for (const [index, { start }] of mentions.entries())
    expect(start).toBeGreaterThanOrEqual(mentions[index - 1]?.end ?? 0);
});

test("a long text is parsed in linear time", () => {
  for (const unit of ["@", " @", '@"', ' @"', "@.,;", "@a\\ ", "\\ "]) {
    expect(parseMentions(`@${unit.repeat(200_000)}`).length).toBeLessThanOrEqual(200_001);
  }
});
