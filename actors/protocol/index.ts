export { ContainedObservable, callContained } from "./contained.ts";
export { type Clock, type Edge, immediateEdge, type Pass, type Release, systemClock } from "./edge.ts";
export { fromEvents, MissingTerminalError, type Protocol, type Scope } from "./from-events.ts";
export { type ReleasedScope, released, type Untimed } from "./released.ts";
export { throwUncaught } from "./uncaught.ts";
export { unlessAborted } from "./unless-aborted.ts";
export { waitUntil } from "./wait-until.ts";
export { endsInsideCharacter, wellFormedJson } from "./well-formed.ts";
export { within } from "./within.ts";
