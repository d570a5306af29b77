export * from "./ai-sdk/index.ts";
export * from "./anthropic/index.ts";
export * from "./browser/index.ts";
export * from "./checkpoints/index.ts";
export * from "./hooks/index.ts";
export * from "./instructions/index.ts";
export * from "./mcp/index.ts";
export {
  costOf,
  MODELS,
  type ModelFacts,
  type ModelTable,
  type Price,
  type PriceTable,
  type ProviderName,
  PUBLIC_API,
} from "./models/index.ts";
export * from "./providers/index.ts";
export * from "./repository/index.ts";
export { type ShellOptions, type SystemShell, systemShell } from "./shell/index.ts";
export * from "./workspace/index.ts";
export * from "./xml-tools/index.ts";
