export type {
  Chart,
  ChartEdge,
  ChartLayout,
  ChartRoute,
  ChartState,
  ChartTransition,
} from "./chart/chart.ts";
export { chartOf } from "./chart/chart-of.ts";
export { layoutOf } from "./chart/layout.ts";
export { type SvgOptions, type SvgTheme, svgOf } from "./chart/svg.ts";
export { type MermaidOptions, mermaid } from "./mermaid.ts";
