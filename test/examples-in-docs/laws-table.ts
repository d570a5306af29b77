import type ts from "typescript";
import { DESCRIBED_LAWS } from "../../verify/laws/described-laws.ts";
import { docsIn } from "./docstrings.ts";
import { formatTable } from "./format-table.ts";

/** The table of `docs/concepts/laws.md`: the statement of a law is its docstring. */
export function lawTable(program: ts.Program): string {
  const statements = new Map(docsIn(program, "verify/laws/described-laws.ts", "DESCRIBED_LAWS"));
  return formatTable(
    ["law", "statement", "also checked by"],
    Object.entries(DESCRIBED_LAWS).map(([id, law]) => [
      "name" in law ? `**${id}** ${law.name}` : `**${id}**`,
      statements.get(id) ?? "",
      "alsoCheckedBy" in law ? law.alsoCheckedBy : "",
    ]),
  );
}
