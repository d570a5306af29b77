import type { Chart } from "../../../chart/chart.ts";
import type { StateSum } from "../../model/state-graph.ts";
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
  /** The sums of one of the six states in words. Default: its entries and its time. */
  readonly sumText?: (sum: StateSum) => string;
  readonly onSelect: (path: string | undefined) => void;
}
