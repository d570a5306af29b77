import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { createStyle } from "../../../../cli/show/style.ts";
import { MarkdownStream } from "../../../../cli/terminal/markdown/stream.ts";

const COLOURED = createStyle(Object.assign(new PassThrough(), { isTTY: true }), {});

/** What a text comes to that is told in these pieces. */
function told(pieces: readonly string[], { width = 40, isColoured = false } = {}) {
  const settled: string[] = [];
  const opened: (readonly string[])[] = [];
  const stream = new MarkdownStream(
    { width, settle: (lines) => settled.push(...lines), open: (lines) => opened.push(lines) },
    COLOURED,
  );
  for (const piece of pieces) stream.grow(piece);
  const before = [...settled];
  stream.end();
  const plain = (lines: readonly string[]) => (isColoured ? lines : lines.map(stripVTControlCharacters));
  return { settled: plain(settled), before: plain(before), open: plain(opened.at(-2) ?? []) };
}

describe("markdown on a terminal", () => {
  test("headings, emphasis and code are styled", () => {
    const { settled } = told(["# Title\n\nA **bold** word and `code`.\n"], { isColoured: true });
    expect(settled).toEqual([
      "\x1b[36m\x1b[1mTitle\x1b[22m\x1b[39m",
      "",
      "A \x1b[1mbold\x1b[22m word and \x1b[36mcode\x1b[39m.",
    ]);
  });

  test("lists have marks, also nested ones, and their lines are indented", () => {
    const list = "- one that is longer than a line\n  1. two\n  2. three\n- [x] four\n";
    expect(told([list], { width: 20 }).settled).toEqual([
      "• one that is longer",
      "  than a line",
      "  1. two",
      "  2. three",
      "• [x] four",
    ]);
  });

  test("quotes, rules, links and tables are rendered", () => {
    const text = "> said\n\n---\n\n[here](http://x.y)\n\n| a | bcd |\n|---|---|\n| 12 | 3 |\n";
    expect(told([text], { width: 20 }).settled).toEqual([
      ...["│ said", "", "────────────────────", "", "here (http://x.y)", ""],
      ...["a   bcd", "──  ───", "12  3"],
    ]);
  });

  test("a diff in a code block is colored", () => {
    const { settled } = told(["```diff\n-old\n+new\n```\n"], { isColoured: true });
    expect(settled).toEqual(["  \x1b[31m-old\x1b[39m", "  \x1b[32m+new\x1b[39m"]);
  });

  test("code in a known language has the colors of its tokens, and other code has one color", () => {
    const code = [`if (a) \`\${b} c\`; // d`, "f('e');"].join("\n");
    const { settled } = told(
      [`\`\`\`ts title="a.ts"\n${code}\n\`\`\`\n\n\`\`\`none\nif x\n\`\`\`\n\n\`\`\`\nif x\n\`\`\`\n`],
      {
        isColoured: true,
      },
    );
    expect(settled).toEqual([
      `  \x1b[35mif\x1b[39m (a) \x1b[32m\`\x1b[39m\${b}\x1b[32m c\`\x1b[39m; \x1b[2m// d\x1b[22m`,
      "  \x1b[36mf\x1b[39m(\x1b[32m'e'\x1b[39m);",
      "",
      "  \x1b[36mif x\x1b[39m",
      "",
      "  \x1b[36mif x\x1b[39m",
    ]);
  });

  test("code in an item of a list has colors", () => {
    const { settled } = told(["- a\n\n  ```py\n  if b:\n    1\n  ```\n"], { isColoured: true });
    expect(settled.slice(-2)).toEqual(["    \x1b[35mif\x1b[39m b:", "      \x1b[33m1\x1b[39m"]);
  });

  test("escapes are printed as text", () => {
    expect(told(["a \x1b[31m b\u202e\r\nc\n"]).settled).toEqual(["a \\u001b[31m b\\u202e", "c"]);
  });
});

describe("while it streams", () => {
  test("the last block is open, and those before it are final", () => {
    const { before, open } = told(["First.\n\nSec", "ond **bo"]);
    expect(before).toEqual(["First."]);
    expect(open).toEqual(["", "Second **bo"]);
  });

  test("each line of code is final when the next one begins", () => {
    const { before, open } = told(["```ts\none\ntw", "o\nthr"]);
    expect(before).toEqual(["  one", "  two"]);
    expect(open).toEqual(["  thr"]);
  });

  test("each item of a list is final when the next one has a line", () => {
    const { before, open } = told(["- one\n- two\n\n- thr"]);
    expect(before).toEqual(["• one"]);
    expect(open).toEqual(["• two", "• thr"]);
  });

  const BLOCKS = [
    ...[
      "# Title",
      "Words with **bold** and `code`",
      "Under\n===",
      "- a\n- b\n  - c\n- [ ] d",
      "1. a\n2. b\n\n3. c",
    ],
    ...[
      "```ts\nlet a\n\n\nlet b\n\n```",
      '```py\ndef f():\n  """What for\n\n  it is"""\n  return 1\n```',
      "~~~\n```\n~~~",
      "> q\n> r",
      "| a | b |\n|---|---|\n| 1 | 2 |",
      "---",
    ],
    ...["    indented\n    code", "- a\n\n  more\n\n  ```\n  x\n  ```", "<div>\nhtml\n</div>", "a\r\nb"],
  ];
  const document = fc
    .array(fc.tuple(fc.constantFrom(...BLOCKS), fc.constantFrom("\n", "\n\n", "\n\n\n")), { maxLength: 8 })
    .map((blocks) => blocks.flat().join(""));

  property.prop([document, fc.infiniteStream(fc.integer({ min: 1, max: 12 }))])(
    "the final lines do not depend on how the text is split into deltas",
    (text, sizes) => {
      const pieces: string[] = [];
      for (let at = 0; at < text.length; ) {
        const size = sizes.next().value ?? 1;
        pieces.push(text.slice(at, at + size));
        at += size;
      }
      expect(told(pieces, { isColoured: true }).settled).toEqual(told([text], { isColoured: true }).settled);
    },
  );

  test.each([
    ["py", 'x = """if', 'or"""', 'x = \x1b[32m"""if\x1b[39m', '\x1b[32mor"""\x1b[39m'],
    ["rust", "/* if", "if */ if", "\x1b[2m/* if\x1b[22m", "\x1b[2mif */\x1b[22m \x1b[35mif\x1b[39m"],
    ["html", "<!-- if", "--><p", "\x1b[2m<!-- if\x1b[22m", "\x1b[2m-->\x1b[22m\x1b[35m<p\x1b[39m"],
    ["js", "x = `if", "if` + 1", "x = \x1b[32m`if\x1b[39m", "\x1b[32mif`\x1b[39m + \x1b[33m1\x1b[39m"],
    ["sh", "ls 'if", "if'", "\x1b[36mls\x1b[39m \x1b[32m'if\x1b[39m", "\x1b[32mif'\x1b[39m"],
  ])(
    "a text over several lines has its color in %s before its end has come",
    (language, first, last, ...colored) => {
      const between = Array.from({ length: 1_000 }, () => "for it in them");
      const lines = [first, ...between, last];
      const text = `\`\`\`${language}\n${lines.join("\n")}\n\`\`\`\n`;
      const { settled, before } = told(text.match(/[\s\S]{1,50}/g) ?? [], { isColoured: true });
      expect([settled[0], settled.at(-1)]).toEqual(colored.map((line) => `  ${line}`));
      expect(new Set(settled.slice(1, -1)).size).toBe(1);
      expect(settled[1]).toMatch(/^ {2}\S*for it in them\S*$/);
      expect(before.slice(0, 1_000)).toEqual(settled.slice(0, 1_000));
    },
  );

  test("a code block of any length is settled line by line, each once", () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `line ${index}`);
    const text = `\`\`\`\n${lines.join("\n")}\n\n\`\`\`\nend`;
    const pieces = text.match(/[\s\S]{1,50}/g) ?? [];
    expect(told(pieces).settled).toEqual([...lines.map((line) => `  ${line}`), "", "end"]);
  });
});
