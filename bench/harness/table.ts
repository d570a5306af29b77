import { short } from "./numbers.ts";
import type { Row } from "./row.ts";

const HEAD = ["what", "value", "limit", "", "detail"] as const;

/** The rows as a table of Markdown that is also readable as it is: ratios first, else in their order. */
export function table(rows: readonly Row[]): string {
  const ratios = rows.filter(({ unit }) => unit === "x");
  const others = rows.filter(({ unit }) => unit !== "x");
  const cells = [...ratios, ...others].map((row) => [
    row.name,
    written(row.value, row.unit),
    row.limit === undefined ? "" : `at most ${written(row.limit, row.unit)}`,
    verdictOf(row),
    row.detail,
  ]);
  const widths = HEAD.map((head, column) =>
    Math.max(3, head.length, ...cells.map((line) => line[column]?.length ?? 0)),
  );
  const line = (parts: readonly string[]): string =>
    `| ${parts.map((part, column) => part.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = widths.map((width) => "-".repeat(width));
  return [line(HEAD), line(rule), ...cells.map(line)].join("\n");
}

function written(value: number, unit: string): string {
  return unit === "x" ? `${value.toFixed(2)} x` : `${short(value)} ${unit}`;
}

function verdictOf({ limit, ok }: Row): string {
  if (limit === undefined) return "";
  return ok ? "holds" : "MISSED";
}
