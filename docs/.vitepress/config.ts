import path from "node:path";
import { defineConfig } from "vitepress";
import manifest from "../../package.json" with { type: "json" };
import { type ListedPage, listedIn, sections } from "./contents.ts";
import { headingId, linkToRepository } from "./links.ts";
import { miniSearch, withLine } from "./search.ts";

const github = manifest.repository.url.replace(/^git\+|\.git$/g, "");

const item = (page: ListedPage) => ({ text: page.title.replaceAll("`", ""), link: `/${page.path}` });

const folderOf = (page: string): string => `/${path.posix.dirname(page)}/`;

/** The site: `npm run docs` serves it, `npm run docs:site` builds it. */
export default defineConfig({
  title: manifest.name,
  description: manifest.description,
  markdown: {
    anchor: { slugify: headingId },
    config: (md) => linkToRepository(md, github),
  },
  // The index of the search is one chunk.
  vite: { build: { chunkSizeWarningLimit: 4_000 } },
  themeConfig: {
    nav: sections.map((section) => ({ ...item(section), activeMatch: folderOf(section.path) })),
    sidebar: Object.fromEntries(
      sections.map((section) => [
        folderOf(section.path),
        [{ ...item(section), items: listedIn(section.path).map(item) }],
      ]),
    ),
    socialLinks: [{ icon: "github", link: github }],
    search: {
      provider: "local",
      options: {
        miniSearch,
        _render: async (text, env, md) => withLine(await md.renderAsync(text, env), env.relativePath),
      },
    },
  },
});
