import type { Chart } from "../../../chart/chart.ts";
import type { VisitCounts } from "../../model/visit-counts.ts";

/** The props of every drawing of a chart. */
export interface DrawingProps {
  readonly chart: Chart;
  readonly visits: VisitCounts;
  /** The active state. */
  readonly path: string;
  /** The current event. */
  readonly at: number;
  /** The state whose details are shown. */
  readonly selected: string | undefined;
  readonly showsPossible: boolean;
  readonly onSelect: (path: string | undefined) => void;
}
