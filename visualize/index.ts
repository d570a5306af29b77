export * from "./chart/index.ts";
export { type MermaidOptions, mermaid } from "./mermaid.ts";
export * from "./recording/index.ts";
export { type TransitionRow, transitionRows, transitionTable } from "./transition-table.ts";
