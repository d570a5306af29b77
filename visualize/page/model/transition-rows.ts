import type { Chart, ChartEdge, ChartTransition } from "../../chart/chart.ts";
import { formatRow } from "../../chart/label.ts";
import type { TakenRow } from "./edge-paths.ts";
import { isWithin } from "./state.ts";
import type { VisitCounts } from "./visit-counts.ts";

/** A transition of a chart, and how often it was taken. */
export interface TransitionRow {
  readonly source: string;
  readonly target: string;
  readonly row: ChartTransition;
  /** Absent: it is possible only. */
  readonly taken?: RowSum;
}

export interface RowSum {
  readonly times: number;
  /** How many of these times the trace does not record: they are inferred. */
  readonly inferred: number;
  /** The newest event that took it. */
  readonly lastAt: number;
  /** The number of rows that share the count, because the trace does not tell which of them was taken. */
  readonly among: number;
}

/** The transitions that leave a state, a state in it, or a state around it: the taken ones first, the most frequent at the top. */
export function transitionRows(
  { edges }: Chart,
  path: string,
  visits: VisitCounts,
): readonly TransitionRow[] {
  const rows = edges
    .filter(({ source }) => isWithin(source, path) || isWithin(path, source))
    .flatMap((edge) => edge.rows.map((row) => rowOf(edge, row, visits)));
  return rows.sort((one, other) => (other.taken?.times ?? 0) - (one.taken?.times ?? 0));
}

function rowOf({ id, source, target }: ChartEdge, row: ChartTransition, visits: VisitCounts): TransitionRow {
  const taken = [...visits.rows.keys()].filter(({ edge, rows }) => edge === id && rows.includes(row));
  if (taken.length === 0) return { source, target, row };
  const total = (counts: VisitCounts["rows"]): number =>
    taken.reduce((sum, one) => sum + (counts.get(one) ?? 0), 0);
  return {
    source,
    target,
    row,
    taken: {
      times: total(visits.rows),
      inferred: total(visits.inferred),
      lastAt: Math.max(...taken.map((one) => visits.lastAt.get(one) ?? 0)),
      among: Math.max(...taken.map(({ rows }) => rows.length)),
    },
  };
}

/** A taken row in words: the event, and the guard if it is the only row that the event can have taken. */
export function textOfTaken({ rows }: TakenRow): string {
  const [first, ...others] = rows;
  if (first === undefined) return "";
  return others.length === 0 ? formatRow(first) : first.event || "always";
}
