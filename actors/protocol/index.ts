export { type Clock, type Edge, immediateEdge, type Release, systemClock } from "./edge.ts";
export { fromEvents, MissingTerminalError, type Protocol, type Scope, type Untimed } from "./from-events.ts";
