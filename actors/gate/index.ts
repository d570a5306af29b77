export type { Commit, ShownCommit } from "./commit.ts";
export { createGate, type Gate, type GateOptions } from "./gate.ts";
export type { StateValue, TaskActor, TaskSnapshot } from "./task-actor.ts";
