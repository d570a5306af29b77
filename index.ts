/** The whole public face of signalbox. The subpaths (`signalbox/machines`, ...) hold its parts. */
export * from "./actors/index.ts";
export * from "./adapters/index.ts";
export * from "./client/index.ts";
export * from "./machines/index.ts";
export type { TaskSnapshot } from "./runtime/index.ts";
export * from "./runtime/index.ts";
export * from "./store/index.ts";
export * from "./tools/index.ts";
