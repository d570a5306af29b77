export * from "./chart/index.ts";
export * from "./html/index.ts";
export { type MermaidOptions, mermaid } from "./mermaid.ts";
