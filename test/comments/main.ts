import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../examples-in-docs/program.ts";
import { filesIn, SOURCE_FOLDERS } from "../support/sources.ts";
import { commentFaults } from "./faults.ts";

/** `npm run check:comments`: the comments of the source have the subjects and the words that a reader expects. */
const found = filesIn([...SOURCE_FOLDERS, "examples"]).flatMap((file) =>
  commentFaults(readFileSync(path.join(root, file), "utf8"), file).map(
    ({ line, received, expected }) => `${file}:${line}: expected ${expected}, received "${received}"`,
  ),
);
for (const fault of found) console.error(fault);
process.exitCode = found.length === 0 ? 0 : 1;
