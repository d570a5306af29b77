export { ActBar } from "./act-bar.tsx";
export { BreakpointPanel } from "./breakpoint-panel.tsx";
