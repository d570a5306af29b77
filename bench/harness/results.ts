import { formatNumber } from "./numbers.ts";

/** One result, a row of the table. */
export interface BenchResult {
  /** The name of the measurement. */
  readonly name: string;
  readonly value: number;
  /** `x` is a ratio. */
  readonly unit: string;
  /** Maximum value; absent for a reference. */
  readonly limit?: number;
  /** Minimum value. */
  readonly minimum?: number;
  /** Whether the limits are met; true where there is none. */
  readonly ok: boolean;
  /** The figures behind the value. */
  readonly detail: string;
}

/** Options of a bench. */
export interface BenchOptions {
  /** Sizes: `full` for published figures, `quick` for a first look, `tiny` to test the bench. */
  readonly size: Size;
}

export type Size = "full" | "quick" | "tiny";

/** A result with a limit. */
export function limited(
  name: string,
  value: number,
  unit: string,
  limit: number,
  detail: string,
): BenchResult {
  return { name, value, unit, limit, ok: value <= limit, detail };
}

/** A result with a lower limit. */
export function atLeast(
  name: string,
  value: number,
  unit: string,
  minimum: number,
  detail: string,
): BenchResult {
  return { name, value, unit, minimum, ok: value >= minimum, detail };
}

/** A result without a limit, for comparison. */
export function reference(name: string, value: number, unit: string, detail: string): BenchResult {
  return { name, value, unit, ok: true, detail };
}

const HEAD = ["what", "value", "limit", "", "detail"] as const;

/** Format results as an aligned Markdown table: ratios first, else in their order. */
export function table(rows: readonly BenchResult[]): string {
  const ratios = rows.filter(({ unit }) => unit === "x");
  const others = rows.filter(({ unit }) => unit !== "x");
  const cells = [...ratios, ...others].map((row) => [
    row.name,
    formatValue(row.value, row.unit),
    formatLimit(row),
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

function formatLimit({ limit, minimum, unit }: BenchResult): string {
  if (minimum !== undefined) return `at least ${formatValue(minimum, unit)}`;
  return limit === undefined ? "" : `at most ${formatValue(limit, unit)}`;
}

function formatValue(value: number, unit: string): string {
  return unit === "x" ? `${value.toFixed(2)} x` : `${formatNumber(value)} ${unit}`;
}

function verdictOf({ limit, minimum, ok }: BenchResult): string {
  if (limit === undefined && minimum === undefined) return "";
  return ok ? "holds" : "MISSED";
}
