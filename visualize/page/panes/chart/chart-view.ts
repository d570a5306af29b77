import type { Chart, ChartLayout } from "../../../chart/chart.ts";
import type { EdgePaths } from "../../model/edge-paths.ts";

/** The machine's chart, the edges that events take, and whether the chart shows other edges. */
export interface ChartView {
  readonly chart: Chart;
  /** The places of its states. Absent: they are fixed, or the page computes them. */
  readonly layout?: ChartLayout;
  /** Whether transitions that were not taken are shown as well. */
  readonly showsPossible: boolean;
  readonly edgePaths: EdgePaths;
}
