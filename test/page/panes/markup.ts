import type { ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { assert } from "vitest";
import { loadMarkdownParser } from "../../../visualize/page/text/use-markdown-parser.ts";
import { INVISIBLE } from "../invisible.ts";

await loadMarkdownParser();

/** The HTML of an element. */
export const htmlOf = (element: ReactElement): string => renderToStaticMarkup(element);

export interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** The opening tags of React's HTML: its texts and values contain no unescaped `<` and `>`. */
export function tagsOf(html: string): readonly Tag[] {
  return Array.from(html.matchAll(/<([a-zA-Z][^\s/>]*)([^>]*)>/g), ([, name = "", rest = ""]) => ({
    name,
    attributes: new Map(
      Array.from(rest.matchAll(/([^\s="/]+)(?:="([^"]*)")?/g), ([, key = "", value = ""]) => [key, value]),
    ),
  }));
}

/** The visible text of React's HTML. */
export const readOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");

/** Elements that run, load or submit nothing. */
const TAGS = new Set(
  [
    "section header h4 p b i em strong span bdi code pre div ol ul li button time details summary blockquote",
    "hr br a table tbody tr td svg g line rect path circle text title",
  ]
    .join(" ")
    .split(" "),
);

const ATTRIBUTES = new Set(
  [
    "class type title disabled start open href target rel style tabindex aria-label aria-current aria-hidden",
    "focusable width height x y x1 x2 y1 y2 cx cy r rx d text-anchor data-marked data-state",
    "viewBox fill stroke stroke-width stroke-linecap role data-status data-group data-several",
  ]
    .join(" ")
    .split(" "),
);

/** Asserts that HTML runs, loads and hides nothing. */
export function assertHarmless(html: string): void {
  for (const { name, attributes } of tagsOf(html)) {
    assert(TAGS.has(name), `a tag <${name}> in ${html.slice(0, 2_000)}`);
    for (const [key, value] of attributes) {
      assert(ATTRIBUTES.has(key), `an attribute ${key} in ${html.slice(0, 2_000)}`);
      if (key === "style") assert.match(value, /^width:\d+px$/);
      if (key === "href") {
        assert.match(value, /^(https?:|mailto:)/);
        assert.include(attributes.get("rel") ?? "", "noreferrer");
      }
    }
  }
  const invisible = INVISIBLE.exec(html);
  assert.isNull(
    invisible,
    `what can't be loaded stands in …${html.slice(Math.max(0, (invisible?.index ?? 0) - 200), invisible?.index)}`,
  );
}

/** Hostile texts of a model, a file or a foreign log. */
export const HOSTILE: readonly string[] = [
  "<script>alert(1)</script>",
  '<img src=x onerror="alert(1)">',
  '"><svg/onload=alert(1)>',
  "' onmouseover='alert(1)",
  "[here](javascript:alert(1)) and <javascript:alert(1)> and [x](data:text/html,<script>)",
  "![pixel](https://tracker.example/p.png?who=me)",
  '[t](https://a.example "onclick=alert(1)")',
  "```html onload=alert(1)\n<iframe src=//evil.example></iframe>\n```",
  "<style>*{display:none}</style><base href=//evil.example><form action=//evil.example><input>",
  "rm -rf \u202e/ ohce\u202c \u2066hidden\u2069 \u200b\ufeff",
  "\u001b[2J\u001b]8;;https://evil.example\u0007click\u001b]8;;\u0007\u0000\u009b31m",
  "\u{e0041}\u{e0042}\u{e0043} said to the model alone",
  "\ud800 half a character",
  `${"x".repeat(30_000)}`,
  `${">".repeat(6_000)} deep`,
  `${"[".repeat(6_000)}deep`,
  `${"- ".repeat(3_000)}deep`,
  `${"*a **b ".repeat(2_000)}`,
  "constructor",
  "__proto__",
];
