export { abstractionOf } from "./abstraction.ts";
export type { Coverage } from "./coverage.ts";
export { type Bounds, eventsAt, NOTHING_SPENT, type Spent, TOOLS } from "./environment.ts";
export { DEFAULT_BOUNDS, type Exploration, type ExploreOptions, explore, type Violation } from "./explore.ts";
export { ALL_LAWS, aliveAfter, type Law, type Step, type View } from "./laws/index.ts";
export { pathOf } from "./path-of.ts";
export { traceOf, traceStep } from "./trace.ts";
