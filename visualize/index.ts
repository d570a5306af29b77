/** Diagrams of the task machine. Runs in browsers. */
export {
  type Chart,
  type ChartEdge,
  type ChartLayout,
  type ChartRoute,
  type ChartState,
  type ChartTransition,
  chartOf,
  layoutOf,
  type SvgOptions,
  type SvgTheme,
  svgOf,
} from "./chart/index.ts";
export { type MermaidOptions, mermaid } from "./mermaid.ts";
