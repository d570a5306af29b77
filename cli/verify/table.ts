type Cell = string | number;

/** Format a table as text. Numbers are aligned to the right. */
export function formatTable(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...rows.map((row) => String(row[at] ?? "").length)),
  );
  const line = (row: readonly Cell[]): string =>
    row
      .map((cell, at) =>
        typeof cell === "number" ? String(cell).padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return [line(heads), ...rows.map(line)].join("\n");
}

/** Amounts by name, as text. */
export const amounts = (named: object): string =>
  Object.entries(named)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");

/** Seconds with one digit after the point. */
export const rounded = (seconds: number): number => Math.round(seconds * 10) / 10;
