import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { errorCodesIn, errorTable, withTable } from "./error-codes.ts";
import { programWith, root } from "./program.ts";

/** Print the table of error codes; with `--write` renew it in docs/reference/errors.md. */
const table = errorTable(errorCodesIn(programWith(new Map())));
const page = path.join(root, "docs/reference/errors.md");
if (process.argv.includes("--write")) writeFileSync(page, withTable(readFileSync(page, "utf8"), table));
else console.log(table);
