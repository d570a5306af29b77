import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../examples-in-docs/program.ts";
import { filesIn, SOURCE_FOLDERS } from "../support/sources.ts";
import { languageFaults, type Passage } from "./faults.ts";
import { proseIn } from "./markdown.ts";
import { commentsIn, literalsIn, titlesIn } from "./source.ts";

/** Folders of `docs` whose pages are generated from the source. */
const GENERATED = /^docs\/(?:api|generated)\//;

const sources = [...filesIn([...SOURCE_FOLDERS, "examples"]), "index.ts"];
const pages = readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
  .map((file) => path.posix.join("docs", file.split(path.sep).join("/")))
  .filter((file) => file.endsWith(".md") && !GENERATED.test(file));

/** `npm run check:language`: comments, texts, pages and titles of tests have the subjects and the words that a reader expects. */
const found = [
  ...faultsIn(sources, (text, file) => [...commentsIn(text, file), ...literalsIn(text, file)]),
  ...faultsIn(filesIn(["test"]), titlesIn),
  ...faultsIn(["README.md", "AGENTS.md", "CHANGELOG.md", ...pages], proseIn),
];
for (const fault of found) console.error(fault);
process.exitCode = found.length === 0 ? 0 : 1;

function faultsIn(
  files: readonly string[],
  passages: (text: string, file: string) => readonly Passage[],
): readonly string[] {
  return files.flatMap((file) =>
    passages(readFileSync(path.join(root, file), "utf8"), file)
      .flatMap(languageFaults)
      .map(({ line, received, expected }) => `${file}:${line}: expected ${expected}, received "${received}"`),
  );
}
