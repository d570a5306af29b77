export type { Chart, ChartLayout } from "./chart/chart.ts";
export { chartOf } from "./chart/chart-of.ts";
export { layoutOf } from "./chart/layout.ts";
export { type SvgOptions, svgOf } from "./chart/svg.ts";
export { type MermaidOptions, mermaid } from "./mermaid.ts";
