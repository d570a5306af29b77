import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../examples-in-docs/program.ts";
import { commentFaults } from "./faults.ts";

/** `npm run check:comments`: the comments of the source have the subjects and the words that a reader expects. */
const FOLDERS =
  "actors adapters cli client examples machines ports present runtime server settings store testing tools verify visualize wire";

const files = FOLDERS.split(" ").flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => path.join(folder, name)),
);
const found = files.flatMap((file) =>
  commentFaults(readFileSync(path.join(root, file), "utf8"), file).map(
    ({ line, received, expected }) => `${file}:${line}: expected ${expected}, received "${received}"`,
  ),
);
for (const fault of found) console.error(fault);
process.exitCode = found.length === 0 ? 0 : 1;
