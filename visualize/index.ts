export * from "./chart/index.ts";
export * from "./html/index.ts";
export * from "./live/index.ts";
export { type MermaidOptions, mermaid } from "./mermaid.ts";
export { microstepOf } from "./microstep.ts";
export * from "./recording/index.ts";
export * from "./stately/index.ts";
export { type TransitionRow, transitionRows, transitionTable } from "./transition-table.ts";
