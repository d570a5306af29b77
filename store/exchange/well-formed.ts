import { wellFormedJson } from "../../actors/protocol/well-formed.ts";
import type { RooFile } from "../../wire/roo/error.ts";
import type { Repair } from "../../wire/roo/report.ts";

/**
 * A list of a file without halves of surrogate pairs, which an endpoint rejects, and what was replaced. A value that a journal
 * can't keep becomes null.
 */
export function wellFormedList(
  values: readonly unknown[],
  file: RooFile,
): { readonly values: readonly unknown[]; readonly report: readonly Repair[] } {
  const report: Repair[] = [];
  const wellFormed = values.map((value, index) => {
    const fixed = kept(value, (reason) =>
      report.push({ file, index, rule: "format", what: `A value was left out: ${reason}.` }),
    );
    if (fixed === null || JSON.stringify(fixed) === JSON.stringify(value)) return fixed;
    report.push({ file, index, rule: "format", what: "Half of a surrogate pair was replaced by U+FFFD." });
    return fixed;
  });
  return { values: wellFormed, report };
}

function kept(value: unknown, onError: (reason: string) => void): unknown {
  try {
    return wellFormedJson(value);
  } catch (error) {
    onError(error instanceof Error ? error.message : String(error));
    return null;
  }
}
