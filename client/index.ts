export * from "./fronts/index.ts";
export * from "./lifecycle/index.ts";
export * from "./ndjson/index.ts";
export * from "./remote/index.ts";
export { suffixOf } from "./suffix.ts";
export * from "./view/index.ts";
