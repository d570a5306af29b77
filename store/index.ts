export * from "./exchange/index.ts";
export * from "./gate/index.ts";
export * from "./journal/index.ts";
export * from "./recovery/index.ts";
export * from "./task-history/index.ts";
