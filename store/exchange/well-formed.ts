import { wellFormedJson } from "../../actors/protocol/index.ts";
import type { Repair, RooFile } from "../../wire/index.ts";

/** A list of a file without halves of surrogate pairs, which an endpoint rejects, and what was replaced. */
export function wellFormedList(
  values: readonly unknown[],
  file: RooFile,
): { readonly values: readonly unknown[]; readonly report: readonly Repair[] } {
  const report: Repair[] = [];
  const wellFormed = values.map((value, index) => {
    const fixed = wellFormedJson(value);
    if (JSON.stringify(fixed) === JSON.stringify(value)) return value;
    report.push({ file, index, rule: "format", what: "Half of a surrogate pair was replaced by U+FFFD." });
    return fixed;
  });
  return { values: wellFormed, report };
}
