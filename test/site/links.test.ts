import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { root } from "../examples-in-docs/program.ts";
import { buildSite, copyDocs } from "./site.ts";

const REPOSITORY = "https://github.com/signalbox-dev/signalbox/blob/HEAD/";

const matchesIn = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, found = ""]) => found);

describe("the links of the built site", () => {
  /** The HTML of each page, by its path. */
  const html = new Map<string, string>();
  const links = () =>
    [...html].flatMap(([page, text]) =>
      matchesIn(text, /<a [^>]*href="([^"]*)"/g).map((href) => ({ page, href })),
    );

  beforeAll(() => {
    const docs = copyDocs();
    expect(buildSite(docs)).toMatchObject({ status: 0 });
    const site = path.join(docs, ".vitepress/dist");
    for (const file of readdirSync(site, { recursive: true, encoding: "utf8" }))
      if (file.endsWith(".html")) html.set(file, readFileSync(path.join(site, file), "utf8"));
  });

  test("lead to a page, and to a heading of it", () => {
    const dead = links().filter(({ page, href }) => {
      const url = new URL(href, `site:/${page}`);
      if (url.protocol !== "site:") return false;
      const text = html.get(url.pathname.slice(1).replace(/(^|\/)$/, "$1index.html"));
      return text === undefined || !text.includes(url.hash === "" ? "" : ` id="${url.hash.slice(1)}"`);
    });
    expect(dead).toEqual([]);
    expect(html.size).toBeGreaterThan(60);
  });

  test("lead to a file of the repository outside of the pages", () => {
    const files = links().flatMap(({ href }) =>
      href.startsWith(REPOSITORY) ? [href.slice(REPOSITORY.length)] : [],
    );
    expect(files).toContain("examples/own-tool.ts");
    expect(files).toContain("docs/generated/paths.txt");
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });
});

test("a link to a page that does not exist fails the build", () => {
  const docs = copyDocs();
  writeFileSync(path.join(docs, "seeded.md"), "# Seeded\n\n[Nowhere](guide/nowhere.md)\n");
  const { status, output } = buildSite(docs);
  expect(status).toBe(1);
  expect(output).toContain("guide/nowhere");
});
