import { spawnSync } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import MiniSearch, { type SearchResult } from "minisearch";
import { miniSearch } from "../../docs/.vitepress/search.ts";
import { root } from "../examples-in-docs/program.ts";
import { newBuild } from "../support/builds.ts";

/** Files that `docs` has only after a build. */
const BUILT = ["api", ".vitepress/dist", ".vitepress/cache"].map((name) => path.join(root, "docs", name));

/** Copy `docs`, as they are in the repository, to a new folder. Returns the copy. */
export function copyDocs(): string {
  const docs = path.join(newBuild(), "docs");
  cpSync(path.join(root, "docs"), docs, { recursive: true, filter: (file) => !BUILT.includes(file) });
  return docs;
}

/** Write the API reference into a copy of `docs`. */
export const writeReference = (docs: string): void => {
  const { status, output } = run("typedoc/bin/typedoc", "--out", path.join(docs, "api"));
  if (status !== 0) throw new Error(`Expected the API reference, got: ${output}`);
};

export const buildSite = (docs: string) => run("vitepress/bin/vitepress.js", "build", docs);

function run(program: string, ...args: readonly string[]) {
  const file = path.join(root, "node_modules", program);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    cwd: root,
    encoding: "utf8",
    // Vitest sets it to `test`, and then the index of the search is empty.
    env: { ...process.env, NODE_ENV: "production" },
  });
  return { status, output: stdout + stderr };
}

/** Open the index of a built site, as its search does. */
export async function openSearch(site: string): Promise<(query: string) => readonly SearchResult[]> {
  const chunks = path.join(site, "assets/chunks");
  const name = readdirSync(chunks).find((file) => file.startsWith("@localSearchIndex"));
  if (name === undefined) throw new Error(`Expected the index of the search in ${chunks}.`);
  const { default: json } = await import(pathToFileURL(path.join(chunks, name)).href);
  const index = MiniSearch.loadJSON(json, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    searchOptions: miniSearch.searchOptions,
    ...miniSearch.options,
  });
  return (query) => index.search(query);
}
