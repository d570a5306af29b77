import type { Chart, ChartLayout } from "../../../chart/chart.ts";
import type { EdgePaths } from "../../model/edge-paths.ts";

/** The machine's chart with its layout, and the edges that events take. */
export interface ChartView {
  readonly chart: Chart;
  readonly layout: ChartLayout;
  /** Whether all edges have labels. */
  readonly isLabelled: boolean;
  readonly edgePaths: EdgePaths;
}
