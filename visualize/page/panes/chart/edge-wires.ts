import type { ChartEdge } from "../../../chart/chart.ts";
import { formatRow } from "../../../chart/label.ts";
import { count, grouped } from "../../model/format.ts";
import { edgeSum } from "../../model/state-graph.ts";
import type { WirePlace } from "../../model/state-places.ts";
import type { VisitCounts } from "../../model/visit-counts.ts";
import { inferredText } from "./count-text.ts";
import type { Wire } from "./wires.tsx";

/** One or more edges that are drawn as one. */
export interface DrawnEdge {
  readonly id: string;
  readonly edges: readonly ChartEdge[];
  readonly points: WirePlace["points"];
  /** The center of its count. Absent: it shows none. */
  readonly label?: WirePlace["label"];
}

export interface WireLook {
  /** Whether the user points at it, or at its source. */
  readonly isNear: boolean;
  readonly showsPossible: boolean;
}

/** The wire of an edge; undefined if it was not taken and nobody points at it. */
export function wireOf(drawn: DrawnEdge, visits: VisitCounts, look: WireLook): Wire | undefined {
  const { times, inferred, isLast } = edgeSum(drawn.edges, visits);
  if (times === 0 && !look.isNear && !look.showsPossible) return undefined;
  const kind = isLast ? "last" : look.isNear ? "near" : times > 0 ? "taken" : "possible";
  return {
    id: drawn.id,
    points: drawn.points,
    kind,
    isInferred: inferred > 0,
    title: titleOf(drawn, times, inferred),
    ...(drawn.label !== undefined && times > 0 && { label: { text: `×${count(times)}`, at: drawn.label } }),
  };
}

/** The most rows of a title. */
const ROWS_MAX = 12;

function titleOf({ id, edges }: DrawnEdge, times: number, inferred: number): string {
  const sum = times === 0 ? "not taken" : `taken ×${grouped(times)}`;
  const how = inferred === 0 ? "" : `, ${inferredText(inferred, times)}`;
  const rows = edges.flatMap((edge) => edge.rows.map(formatRow));
  const further = rows.length > ROWS_MAX ? [`+${rows.length - ROWS_MAX}`] : [];
  return [`${id}: ${sum}${how}`, ...rows.slice(0, ROWS_MAX), ...further].join("\n");
}
