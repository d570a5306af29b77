import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { errorCodesIn, errorTable } from "./error-codes.ts";
import { optionTables } from "./options-table.ts";
import { programWith, root } from "./program.ts";
import { withTable } from "./with-table.ts";

/** Print the tables of error codes and of options; with `--write` renew them in docs/reference. */
const program = programWith(new Map());
const tables = [
  ["errors.md", "codes", errorTable(errorCodesIn(program))],
  ["options.md", "options", optionTables(program)],
] as const;
for (const [file, name, table] of tables) {
  const page = path.join(root, "docs/reference", file);
  if (process.argv.includes("--write"))
    writeFileSync(page, withTable(readFileSync(page, "utf8"), name, table));
  else console.log(table);
}
