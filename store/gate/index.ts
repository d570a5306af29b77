export type { Commit, PublishedCommit } from "./commit.ts";
export { createGate, type Gate, type GateOptions } from "./gate.ts";
export { dottedPath, type StateValue, type TaskActor, type TaskSnapshot } from "./task-actor.ts";
