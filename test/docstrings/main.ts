import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../examples-in-docs/program.ts";
import { headlessOpenings } from "./openings.ts";

/** `npm run check:docstrings`: each docstring of the source begins with its subject, or with a verb. */
const FOLDERS =
  "actors adapters cli client examples machines ports present runtime server settings store testing tools verify visualize wire";

const files = FOLDERS.split(" ").flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => path.join(folder, name)),
);
const found = files.flatMap((file) =>
  headlessOpenings(readFileSync(path.join(root, file), "utf8")).map(
    ({ line, text }) =>
      `${file}:${line}: expected a docstring that names its subject first, received "${text}"`,
  ),
);
if (found.length > 0) {
  console.error(
    `${found.join("\n")}\nSay "The reason of ..." in place of "Why ...", "The digest of ..." in place of "Of ...".`,
  );
  process.exitCode = 1;
}
