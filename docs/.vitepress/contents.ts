import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** A page, as an index page lists it. */
export interface ListedPage {
  /** Its path from `docs`, with `/` between folders. */
  readonly path: string;
  /** Its first heading. */
  readonly title: string;
  /** The line of the index page, such as the question that the page answers. */
  readonly line: string;
}

const DOCS = fileURLToPath(new URL("..", import.meta.url));

/** The pages that an index page links to, in its order, each once. */
export function listedIn(index: string): readonly ListedPage[] {
  const found = new Map<string, ListedPage>();
  for (const line of textOf(index).split("\n"))
    for (const [, target = ""] of line.matchAll(/\]\((\w[\w./-]*\.md)\)/g)) {
      const page = path.posix.join(path.posix.dirname(index), target);
      if (!found.has(page)) found.set(page, { path: page, title: titleOf(page), line });
    }
  return [...found.values()];
}

const textOf = (page: string): string => readFileSync(path.join(DOCS, page), "utf8");

const titleOf = (page: string): string => /^# (.*)$/m.exec(textOf(page))?.[1] ?? page;

const API = "api/index.md";

/** The index pages that `docs/index.md` links to, and the API reference if it is built. */
export const sections: readonly ListedPage[] = [
  ...listedIn("index.md"),
  ...(existsSync(path.join(DOCS, API)) ? [{ path: API, title: "API", line: "" }] : []),
];
