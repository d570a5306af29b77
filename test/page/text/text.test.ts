import { createElement } from "react";
import { assert, describe, test } from "vitest";
import { DIFF_MAX_LINES, Diff } from "../../../visualize/page/text/diff.tsx";
import { JSON_MAX_MEMBERS, Json } from "../../../visualize/page/text/json.tsx";
import {
  MARKDOWN_MAX_CHARS,
  MARKDOWN_MAX_MARKS,
  SafeMarkdown,
} from "../../../visualize/page/text/markdown.tsx";
import { Output } from "../../../visualize/page/text/output.tsx";
import { PLAIN_MAX_CHARS, Plain, Short } from "../../../visualize/page/text/plain.tsx";
import { printable, shortened } from "../../../visualize/page/text/printable.ts";
import { INVISIBLE } from "../invisible.ts";
import { assertHarmless, HOSTILE, htmlOf, readOf, tagsOf } from "../panes/markup.ts";

const plain = (text: string) => htmlOf(createElement(Plain, { text }));
const markdown = (text: string) => htmlOf(createElement(SafeMarkdown, { text }));
const diff = (text: string, isNew = false) => htmlOf(createElement(Diff, { diff: text, isNew }));

describe("plain text", () => {
  test("invisible and bidirectional characters are escaped", () => {
    const html = plain("a\u202eb\u001b[31m\u{e0041}\ud800");
    assert.equal(readOf(html), "a\\u202eb\\u001b[31m\\u{e0041}\\ud800");
    assert.equal(
      tagsOf(html).filter(({ attributes }) => attributes.get("class") === "text-escaped").length,
      3,
    );
  });

  test("letters, emoji, joiners, tabs and newlines are unchanged", () => {
    const text = "naïve שלום 👩‍👩‍👧 a\tb\nc";
    assert.equal(readOf(plain(text)), text);
  });

  test("of a long text the start is shown, with the length of the rest", () => {
    const html = plain("y".repeat(PLAIN_MAX_CHARS + 1_234));
    assert.include(readOf(html), "1,234 more characters");
    assert.isBelow(html.length, PLAIN_MAX_CHARS + 500);
  });

  test("no text renders more than a few hundred nodes", () => {
    assert.isBelow(tagsOf(plain("a\u0000".repeat(5_000))).length, 300);
  });

  test("a long name keeps both ends, with the whole as its tooltip", () => {
    assert.equal(shortened("llm.thinking.delta", 12), "llm.thi…elta");
    const [tag] = tagsOf(htmlOf(createElement(Short, { text: `${"a".repeat(90)}\u202e`, maxChars: 20 })));
    assert.equal(tag?.attributes.get("title"), `${"a".repeat(90)}\\u202e`);
  });

  test("the output of a command is shown without colours and otherwise complete", () => {
    const html = htmlOf(createElement(Output, { text: "\u001b[31mred\u001b[0m\r\n10%\r20%\u001b[2J\n" }));
    assert.equal(readOf(html), "red\n10%\n20%\\u001b[2J");
  });

  test("hostile content is shown as text", () => {
    for (const text of HOSTILE) {
      assertHarmless(plain(text));
      assertHarmless(markdown(text));
      assertHarmless(diff(text));
      assertHarmless(diff(text, true));
      assertHarmless(htmlOf(createElement(Output, { text })));
      assertHarmless(htmlOf(createElement(Json, { value: { [text]: [text] }, openLevels: 3 })));
      assert.notMatch(printable(text), INVISIBLE);
    }
  });
});

describe("markdown", () => {
  test("HTML is shown as text", () => {
    assert.include(readOf(markdown("a <b>bold</b> word")), "a <b>bold</b> word");
  });

  test("a link shows its address and sends no referrer", () => {
    const html = markdown("[the docs](https://docs.example/a?b=1)");
    assert.equal(readOf(html), "the docs (https://docs.example/a?b=1)");
    const link = tagsOf(html).find(({ name }) => name === "a");
    assert.equal(link?.attributes.get("href"), "https://docs.example/a?b=1");
    assert.include(link?.attributes.get("rel") ?? "", "noreferrer");
  });

  test("an address that is neither web nor mail is shown, but is not a link", () => {
    for (const address of [
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "//x.example",
      "#a",
    ]) {
      const html = markdown(`[go](${address})`);
      assert.isFalse(tagsOf(html).some(({ name }) => name === "a"));
      assert.include(readOf(html), address);
    }
  });

  test("an image is named, not loaded", () => {
    const html = markdown("![a chart](https://tracker.example/p.png)");
    assert.include(readOf(html), "[image: a chart, not loaded: https://tracker.example/p.png]");
  });

  test("a text that is too long, has too many marks or is nested too deep is shown as plain text", () => {
    assert.include(readOf(markdown(`${">".repeat(100)} deep`)), ">".repeat(100));
    assert.include(readOf(markdown(`${"- ".repeat(100)} deep`)), "- - - -");
    assert.include(readOf(markdown("*a* ".repeat(MARKDOWN_MAX_MARKS))), "*a* *a*");
    assert.include(readOf(markdown(`# ${"x".repeat(MARKDOWN_MAX_CHARS)}`)), "# xxx");
  });

  test("a growing text has a cursor", () => {
    const html = htmlOf(createElement(SafeMarkdown, { text: "so far", isGrowing: true }));
    assert.include(html, "text-growing");
    assert.notInclude(markdown("so far"), "text-growing");
  });
});

describe("a diff", () => {
  const rowsOf = (html: string) =>
    Array.from(html.matchAll(/<tr class="text-diff-(\w+)">(.*?)<\/tr>/g), ([, kind, cells = ""]) => [
      kind,
      ...Array.from(cells.matchAll(/<td[^>]*>(.*?)<\/td>/g), ([, cell = ""]) => readOf(cell)),
    ]);

  test("each line has its sign and its line numbers before and after", () => {
    assert.deepEqual(rowsOf(diff("@@ -3,3 +3,3 @@\n same\n-old\n+new\n end")), [
      ["head", "", "", "", "@@ -3,3 +3,3 @@"],
      ["same", "3", "3", " ", "same"],
      ["removed", "4", "", "-", "old"],
      ["added", "", "4", "+", "new"],
      ["same", "5", "5", " ", "end"],
    ]);
  });

  test("a line that looks like a file header within a hunk is a line of the file", () => {
    assert.deepEqual(rowsOf(diff("--- a\n+++ b\n@@ -1 +1 @@\n--- x\n+++ y")).slice(3), [
      ["removed", "1", "", "-", "-- x"],
      ["added", "", "1", "+", "++ y"],
    ]);
  });

  test("search lines are removed and replacement lines added, also in a partial diff", () => {
    const kinds = rowsOf(diff("<<<<<<< SEARCH\n:start_line:5\n-------\nold\n=======\nnew")).map(
      ([kind]) => kind,
    );
    assert.deepEqual(kinds, ["head", "head", "head", "removed", "head", "added"]);
  });

  test("all lines of a new file are added", () => {
    assert.deepEqual(rowsOf(diff("a\nb\n", true)), [
      ["added", "", "1", "+", "a"],
      ["added", "", "2", "+", "b"],
    ]);
  });

  test("of a long diff the first lines are shown, with the number of the rest", () => {
    const html = diff("x\n".repeat(DIFF_MAX_LINES + 77), true);
    assert.equal(rowsOf(html).length, DIFF_MAX_LINES);
    assert.include(readOf(html), "77 more lines");
  });
});

describe("a JSON value", () => {
  test("folded parts are not rendered, however deep they are", () => {
    let deep: unknown = "the bottom";
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    const html = htmlOf(createElement(Json, { value: deep }));
    assert.notInclude(html, "the bottom");
    assert.isBelow(tagsOf(html).length, 20);
  });

  test("of many members the first are shown, with the number of the rest", () => {
    const html = htmlOf(
      createElement(Json, { value: Array.from({ length: JSON_MAX_MEMBERS + 9 }, () => 1) }),
    );
    assert.include(readOf(html), "9 more members");
  });
});
