import { writeFileSync } from "node:fs";
import path from "node:path";
import { root } from "../examples-in-docs/program.ts";
import { formatPaths, measurePaths, PATHS_FILE } from "./paths.ts";

/** Print the source files that an event passes; with `--write` renew docs/generated/paths.txt. */
const paths = formatPaths(await measurePaths());
if (process.argv.includes("--write")) writeFileSync(path.join(root, PATHS_FILE), paths);
else console.log(paths);
