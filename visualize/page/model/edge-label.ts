import type { ChartEdge, ChartTransition } from "../../chart/chart.ts";
import { formatRow } from "../../chart/label.ts";
import type { TakenRow } from "./edge-paths.ts";
import { grouped } from "./format.ts";
import type { RowCount } from "./visit-counts.ts";

/** One line of an edge's label: rows that were taken, or a row that is possible only. */
export interface LabelLine {
  /** The event, and the guard if it is known. */
  readonly text: string;
  /** The count of a taken row. 0: the row was not taken. */
  readonly times: number;
}

/** The lines that a label has at rest and while it is open. */
const RESTING_LINES = 2;
const OPEN_LINES = 6;

/**
 * The label of an edge: the rows that were taken, the most frequent first, and while it is open the possible ones. A
 * guard is named only if the trace tells that its row was taken.
 */
export function labelLines(
  edge: ChartEdge,
  taken: readonly RowCount[],
  isOpen: boolean,
): readonly LabelLine[] {
  const sorted = [...taken].sort(([, a], [, b]) => b - a);
  const lines = sorted.map(([row, times]) => ({ text: textOfTaken(row), times }));
  const known = new Set(taken.flatMap(([{ rows }]) => rows));
  const possible = edge.rows
    .filter((row) => !known.has(row))
    .map((row) => ({ text: shortRow(row), times: 0 }));
  return cut(isOpen ? [...lines, ...possible] : lines, isOpen ? OPEN_LINES : RESTING_LINES);
}

/** A row in a label: the guard alone of an eventless row that has one. */
const shortRow = (row: ChartTransition): string =>
  row.event === "" && row.guard !== undefined ? `[${row.guard}]` : formatRow(row);

/** A taken row in words: its guard if it is the only row that the event can have taken. */
function textOfTaken({ rows }: TakenRow): string {
  const [first, ...others] = rows;
  if (first === undefined) return "";
  return others.length === 0 ? shortRow(first) : first.event || "always";
}

function cut(lines: readonly LabelLine[], max: number): readonly LabelLine[] {
  if (lines.length <= max) return lines;
  return [...lines.slice(0, max - 1), { text: `+${lines.length - max + 1}`, times: 0 }];
}

/** All rows of an edge in words, the taken ones with their counts. */
export function edgeTitle(edge: ChartEdge, taken: readonly RowCount[]): string {
  const lines = taken.map(([{ rows }, times]) => {
    const names = rows.map(formatRow);
    const which = names.length === 1 ? (names[0] ?? "") : `one of ${names.join(", ")} (not recorded which)`;
    return `taken ×${grouped(times)}: ${which}`;
  });
  const known = new Set(taken.flatMap(([{ rows }]) => rows));
  const possible = edge.rows.filter((row) => !known.has(row)).map((row) => `possible: ${formatRow(row)}`);
  return [edge.id, ...lines, ...possible].join("\n");
}
