import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { filesIn } from "../support/sources.ts";
import { pages, root } from "./program.ts";

const textOf = (page: string): string => readFileSync(path.join(root, page), "utf8");
const withoutCode = (text: string): string => text.replaceAll(/^```.*?^```$/gms, "");

const folders = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "dist")
  .map(({ name }) => name);

const sourceFolders = folders.filter((name) => !["docs", "node_modules", "coverage"].includes(name));

/** The ids that a page's headings get where it is shown. */
const anchorsOf = (page: string): readonly string[] =>
  [...withoutCode(textOf(page)).matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );

/** Relative links of a page that lead nowhere. */
function deadLinks(page: string): readonly string[] {
  const links = [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return links.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [file = "", anchor] = target.split("#");
    const linked = file === "" ? page : path.join(path.dirname(page), file);
    if (!existsSync(path.join(root, linked))) return true;
    return anchor !== undefined && !anchorsOf(linked).includes(anchor);
  });
}

/** Paths of the repository that a page quotes and that do not exist. */
function deadPaths(page: string): readonly string[] {
  const quoted = [...withoutCode(textOf(page)).matchAll(/`([\w.-]+\/[\w./-]*)`/g)].map(
    ([, name = ""]) => name,
  );
  const built = (name: string) => name.startsWith("docs/api") || name.startsWith("tasks/");
  return quoted
    .filter((name) => folders.includes(name.split("/")[0] ?? "") && !built(name))
    .filter((name) => !existsSync(path.join(root, name)));
}

/** Names of other products, and names that the sources put together. */
const FOREIGN = new Set([
  ...["onDone", "rmdir", "API_KEY", "commandsResponse", "evalFail", "evalPass", "interactionRequired"],
  ...["modelsResponse", "modesResponse", "taskPaused", "taskSpawned", "taskUnpaused"],
  ...["taskUserMessage", "edit_refused"],
]);

/** Its tables have names of other libraries on the left. */
const COMPARISON = "docs/guide/coming-from.md";

/** Every word of the sources, tests and settings, in lower case. */
const sourceWords = new Set(
  [...filesIn(sourceFolders).map(textOf), textOf("index.ts"), textOf("package.json")].flatMap((text) =>
    (text.match(/[\w$]+/g) ?? []).map((word) => word.toLowerCase()),
  ),
);

/** Identifiers and calls that a page quotes and that no source has. */
function unknownNames(page: string): readonly string[] {
  const text = withoutCode(textOf(page));
  const own = page === COMPARISON ? text.replaceAll(/^\|[^|]*\|/gm, "|") : text;
  const spans = [...own.matchAll(/`([A-Za-z_$][\w$.]*)(?:\([^`]*\))?`/g)];
  return spans
    .flatMap(([, name = ""]) => name.split("."))
    .filter((word) => word !== "" && !FOREIGN.has(word) && !sourceWords.has(word.toLowerCase()));
}

describe("the pages", () => {
  test.each(pages)("%s links to what exists", (page) => {
    expect(deadLinks(page)).toEqual([]);
  });

  test.each(pages)("%s quotes paths that exist", (page) => {
    expect(deadPaths(page)).toEqual([]);
  });

  test.each(pages)("%s quotes names that the sources have", (page) => {
    expect(unknownNames(page)).toEqual([]);
  });

  test("of each group are listed on its first page", () => {
    for (const page of pages.filter((name) => /^docs\/\w+\/(?!index)/.test(name)))
      expect(textOf(path.join(path.dirname(page), "index.md"))).toContain(`](${path.basename(page)})`);
  });
});

/** Top folders of the repository, without those whose names start with a dot. */
const TOP_FOLDERS = 22;

describe("the table of folders", () => {
  const table = [...textOf("docs/concepts/finding-your-way.md").matchAll(/^\|`([\w-]+)\/`\|(.*)\|$/gm)];

  test(`has each top folder once, and at most ${TOP_FOLDERS}`, () => {
    const { stdout } = spawnSync("git", ["ls-files"], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
    const tops = stdout
      .split("\n")
      .filter((file) => file.includes("/") && !file.startsWith("."))
      .map((file) => file.split("/")[0] ?? "");
    const tracked = [...new Set(tops)].sort();
    expect(tracked).toContain("machines");
    expect(table.map(([, folder = ""]) => folder).sort()).toEqual(tracked);
    expect(tracked.length).toBeLessThanOrEqual(TOP_FOLDERS);
  });

  test.each(table.map(([, folder = "", content = ""]) => [folder, content]))(
    "says in one sentence what belongs in %s",
    (_, content) => {
      expect(content).toMatch(/^[A-Z][^.]*\.$/);
    },
  );
});

test("the page about dependencies has each dependency", () => {
  const manifest = ["package.json", "cli/package.json", "visualize/package.json"].map(textOf).join("");
  const lists = [...manifest.matchAll(/"(?:devD|d)ependencies": \{([^}]*)\}/g)].map(([, list = ""]) => list);
  const names = lists.flatMap((list) => [...list.matchAll(/"([^"]+)":/g)].map(([, name = ""]) => name));
  expect(names.length).toBeGreaterThan(30);
  const page = textOf("docs/internals/dependencies.md");
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("a docstring or message names only pages that exist", () => {
  const sources = filesIn([
    ...folders.filter((name) => !["docs", "node_modules", "coverage"].includes(name)),
  ]);
  const dead = sources.flatMap((source) =>
    [...textOf(source).matchAll(/\bdocs\/[\w/-]+\.(?:md|txt|svg)\b/g)]
      .filter(([page]) => !existsSync(path.join(root, page)))
      .map(([page]) => `${source}: ${page}`),
  );
  expect(dead).toEqual([]);
});
