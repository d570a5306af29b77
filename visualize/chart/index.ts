export type {
  Chart,
  ChartBox,
  ChartEdge,
  ChartLayout,
  ChartPoint,
  ChartRow,
  ChartState,
  ChartWay,
} from "./chart.ts";
