export { ChartPane, type DrawnChart } from "./chart-pane.tsx";
