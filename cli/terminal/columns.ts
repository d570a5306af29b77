import stringWidth from "string-width";

const ELLIPSIS = "…";
const graphemes = new Intl.Segmenter();

/**
 * Lines of cells in columns. A column is as wide as its widest cell, and at most as wide as its limit, in cells of the
 * terminal: a longer text ends with an ellipsis.
 *
 * @param limits the limit of each column that is aligned; the cells after them follow as they are
 */
export function alignColumns(
  rows: readonly (readonly string[])[],
  limits: readonly number[],
): readonly string[] {
  const fitted = rows.map((row) =>
    row.map((cell, column) => truncateToWidth(cell, limits[column] ?? Number.POSITIVE_INFINITY)),
  );
  const widths = limits.map((_, column) =>
    fitted.reduce((widest, row) => Math.max(widest, stringWidth(row[column] ?? "")), 0),
  );
  return fitted.map((row) =>
    row
      .map((cell, column) => padToWidth(cell, widths[column] ?? 0))
      .join(" ")
      .trimEnd(),
  );
}

/** Append spaces to a text that is narrower than `width` cells. */
export const padToWidth = (text: string, width: number): string =>
  `${text}${" ".repeat(Math.max(0, width - stringWidth(text)))}`;

/** Cut a text that is wider than `width` cells, with an ellipsis. No character is cut in two. */
function truncateToWidth(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  for (const { segment } of graphemes.segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}${ELLIPSIS}`;
}
