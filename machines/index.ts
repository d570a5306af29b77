export * from "./conversation/index.ts";
export * from "./list/index.ts";
export * from "./message/index.ts";
export * from "./task/index.ts";
export type * from "./tool-call/index.ts";
