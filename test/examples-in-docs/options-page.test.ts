import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { optionTables } from "./options-table.ts";
import { programWith, root } from "./program.ts";
import { withTable } from "./with-table.ts";

test("the page about options has what their docstrings and limits say: npm run docs:tables -- --write", () => {
  const page = readFileSync(path.join(root, "docs/reference/options.md"), "utf8");
  expect(page).toBe(withTable(page, "options", optionTables(programWith(new Map()))));
});
