export type {
  Chart,
  ChartBox,
  ChartEdge,
  ChartLabel,
  ChartLayout,
  ChartPoint,
  ChartRow,
  ChartState,
  ChartWay,
} from "./chart.ts";
export { chartOf } from "./chart-of.ts";
export { denseLayoutOf } from "./dense-layout.ts";
export { labelOf, rowsText } from "./label.ts";
export { layoutOf } from "./layout.ts";
export { CHART_TEXT } from "./measure.ts";
export { type SvgOptions, svgOf } from "./svg.ts";
export type { SvgTheme } from "./svg-style.ts";
