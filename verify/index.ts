export { abstractionOf } from "./abstraction.ts";
export { type Bounds, eventsAt, type Spent, TOOLS } from "./environment.ts";
export { DEFAULT_BOUNDS, type Exploration, type ExploreOptions, explore, type Violation } from "./explore.ts";
export * from "./laws/index.ts";
export { pathOf } from "./path-of.ts";
