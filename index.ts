/** The whole public face of signalbox. The subpaths (`signalbox/machines`, ...) hold its parts. */
export * from "./actors/index.ts";
export type { TaskSnapshot } from "./client/index.ts";
export * from "./client/index.ts";
export * from "./machines/index.ts";
export * from "./tools/index.ts";
