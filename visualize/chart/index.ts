export type {
  Chart,
  ChartBox,
  ChartEdge,
  ChartLayout,
  ChartPoint,
  ChartRoute,
  ChartState,
  ChartTransition,
} from "./chart.ts";
export { chartOf } from "./chart-of.ts";
export { formatTransitions, labelOf } from "./label.ts";
export { denseLayoutOf, layoutOf } from "./layout.ts";
export { roundedPath } from "./rounded-path.ts";
export { type SvgOptions, type SvgTheme, svgOf } from "./svg.ts";
export { escapeXml } from "./xml.ts";
