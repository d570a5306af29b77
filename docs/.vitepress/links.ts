import path from "node:path";
import type { MarkdownRenderer } from "vitepress";

/** The id that GitHub gives a heading. Links of the pages have such ids. */
export const headingId = (title: string): string =>
  title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** Point relative links to anything but a page of `docs` to the repository. */
export function linkToRepository(md: MarkdownRenderer, repository: string): void {
  md.core.ruler.push("link_to_repository", ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet("href");
      if (href === null || /^(?:[a-z]+:|[#/])/.test(href)) continue;
      const file = path.posix.join("docs", path.posix.dirname(env.relativePath), href);
      if (!/^docs\/.*\.md(?:#|$)/.test(file)) token.attrSet("href", `${repository}/blob/HEAD/${file}`);
    }
  });
}
