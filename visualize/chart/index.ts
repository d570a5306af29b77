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
export { type SvgOptions, svgOf } from "./svg.ts";
export type { SvgTheme } from "./svg-style.ts";
export { escapeXml } from "./xml.ts";
