import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { htmlToMarkdown } from "../../../tools/web/markdown.ts";

/** Maximum length of the Markdown, and length of a long page. */
const SIZE = 1_000_000;
const convert = (html: string, { base = "https://page.test/docs/a", signal = AbortSignal.any([]) } = {}) =>
  htmlToMarkdown(html, { base: new URL(base), maxChars: SIZE, signal });
const textOf = async (html: string): Promise<string> => (await convert(html)).text;

describe("a page as Markdown has", () => {
  test.each([
    ["headings", "<h1>A</h1><h2 id=x>B <b>c</b></h2>d", "# A\n\n## B c\n\nd"],
    ["paragraphs and lines", "a <p>b\n  c</p><div>d<div>e</div></div>f<br>g", "a\n\nb c\n\nd\ne\nf\ng"],
    [
      "links that can be fetched",
      "<a href='/x?a&amp;b'>y</a>, <a href=z><i>z</i></a>",
      "[y](https://page.test/x?a&b), [z](https://page.test/docs/z)",
    ],
    [
      "no other links",
      "<a href='#a'>a</a> <a href='javascript:b'>b</a> <a name=c>c</a> <a href=d> </a>",
      "a b c",
    ],
    [
      "a link that is not closed",
      "<a href=1>a<p><a href=2>b",
      "[a](https://page.test/docs/1)\n\n[b](https://page.test/docs/2)",
    ],
    [
      "lists",
      "<ul><li>a<ol><li>b<li>c</ol><li><p>d</p><p>e</p></ul>f",
      "- a\n  1. b\n  2. c\n\n- d\n\n  e\n\nf",
    ],
    ["quotes", "a<blockquote>b<p>c</blockquote>d", "a\n\n> b\n>\n> c\n\nd"],
    [
      "code",
      "<p>a <code>b  c</code> <code> </code><pre><code>d\n\n  <b>e</b></code></pre>",
      "a `b c`\n\n```\nd\n\n  e\n```",
    ],
    ["code with fences", "<pre>\n````\n</pre>", "`````\n````\n`````"],
    ["tables", "<table><tr><th>A<th>B<tr><td><p>1</p><td>2</table>c", "A | B\n--- | ---\n1 | 2\n\nc"],
    [
      "tables with empty cells",
      "<table><tr><td></td><td>b</td></tr><tr><td>c</td><td></td></tr></table>",
      "| b\nc |",
    ],
    [
      "images with a description",
      "<img src=a alt=' b '><img src=c><img alt=d src='data:x'>",
      "![b](https://page.test/docs/a)",
    ],
    ["a rule", "a<hr>b", "a\n\n---\n\nb"],
    [
      "no scripts, styles and hidden text",
      "a<script>b</script><style>c</style><p hidden>d<p>e<svg><title>f</title></svg>",
      "a\n\ne",
    ],
    ["entities", "&lt;b&gt; &amp;amp; &#x41;", "<b> &amp; A"],
    ["nothing for nothing", "", ""],
  ])("%s", async (_, html, markdown) => {
    expect(await textOf(html)).toBe(markdown);
  });

  test("the first title of the page", async () => {
    expect(await convert("<title> a\n &amp; b</title><title>c</title>d")).toEqual({
      title: "a & b",
      text: "d",
    });
  });
});

const filled = (text: string): string => text.repeat(Math.ceil(SIZE / text.length));

test.each(
  Object.entries({
    "open elements": filled("<div>"),
    "end tags in open elements": "<b>".repeat(499) + filled("</x>"),
    "formatting that is not closed": filled("<b><i x=y>a<p>"),
    "links to a long URL": filled("<a href=.>a</a>"),
    images: filled("<img alt=a src=.>"),
    cells: `<table><tr>${filled("<th>")}`,
    "lines in quotes": "<blockquote>".repeat(490) + filled("a<br>"),
    "open comments": filled("<!--"),
    "angle brackets": filled("<"),
    ampersands: filled("&#"),
    attributes: `<a ${filled("x='y' ")}`,
    "one attribute": `<a ${filled("x")}='`,
    "line breaks in code": `<pre>${filled("\n")}`,
    "back quotes": `<pre>${filled("``` ")}`,
    "text areas": filled("<textarea>"),
  }),
)("L14: the Markdown of a page of %s is within its limit", async (_, html) => {
  const { text } = await convert(html, { base: `https://page.test/${"d".repeat(1_900)}/` });
  expect(text.length).toBeLessThanOrEqual(SIZE);
});

test("other work goes on after each 32,768 characters of a page", async () => {
  let turns = 0;
  const stop = new AbortController();
  const counting = (async () => {
    for (; !stop.signal.aborted; turns += 1) await setImmediate();
  })();
  await convert(filled("<p>a"));
  stop.abort();
  await counting;
  expect(turns).toBeGreaterThanOrEqual(Math.floor(SIZE / 32_768));
});

test("a conversion stops at an abort", async () => {
  const stop = new AbortController();
  const converting = convert(filled("<p>a"), { signal: stop.signal });
  stop.abort(new Error("stopped"));
  await expect(converting).rejects.toThrow();
});
