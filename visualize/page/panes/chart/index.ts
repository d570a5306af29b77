export { ChartPane, type DrawnChart } from "./chart-pane.tsx";
export { denseLayout } from "./dense-layout.ts";
