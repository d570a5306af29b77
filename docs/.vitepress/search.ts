import type { Options, SearchOptions } from "minisearch";
import { listedIn, sections } from "./contents.ts";

/** The line of an index page that lists a page, such as the question of a guide. */
const lines = new Map(
  sections
    .flatMap((section) => listedIn(section.path))
    .map(({ path, line }) => [path, line.replaceAll(/\(.*?\)/g, "")]),
);

/** Add to a page's HTML, after its first heading, the line of the index page that lists it. */
export const withLine = (html: string, page: string): string =>
  html.replace("</h1>", () => `</h1>\n${lines.get(page) ?? ""}\n`);

// The site sends the source of these two functions to the browser, so they refer to nothing outside of themselves.

/** Index a word without its ending, and no word that every page has. */
const processTerm: Options["processTerm"] = (term) => {
  const word = term.toLowerCase();
  if (/^(?:a|an|and|as|at|by|for|from|how|i|in|is|it|its|my|of|on|or|the|to|use|with|without)$/.test(word))
    return null;
  return word.length > 4 ? word.replace(/(?:ing|ed|es|s|e)$/, "") : word.replace(/(?<=..)s$/, "");
};

/** Rank guides before other pages, and a page before its sections. */
const boostDocument: SearchOptions["boostDocument"] = (id: string, _, fields) => {
  const folders: Readonly<Record<string, number>> = { guide: 1.5, reference: 1, concepts: 0.5 };
  const isSection = Array.isArray(fields?.titles) && fields.titles.length > 0;
  return (folders[id.split("/")[1] ?? ""] ?? 0.3) * (isSection ? 1 : 1.5);
};

const searchOptions: SearchOptions = {
  boost: { title: 4, titles: 2, text: 1 },
  prefix: (term) => term.length > 2,
  fuzzy: (term) => (term.length > 5 ? 0.15 : false),
  weights: { prefix: 0.3, fuzzy: 0.1 },
  bm25: { k: 1.2, b: 0.5, d: 0 },
  boostDocument,
};

/** The options of MiniSearch, for the site and for its test. */
export const miniSearch = { options: { processTerm }, searchOptions };
