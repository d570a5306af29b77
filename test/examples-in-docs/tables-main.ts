import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { programWith, root } from "./program.ts";
import { TABLES } from "./tables.ts";
import { withTable } from "./with-table.ts";

/** Print the tables of the pages that the code determines; with `--write` renew them there. */
const program = programWith(new Map());
for (const { page, name, format } of TABLES) {
  const file = path.join(root, page);
  const table = await format(program);
  if (process.argv.includes("--write"))
    writeFileSync(file, withTable(readFileSync(file, "utf8"), name, table));
  else console.log(table);
}
