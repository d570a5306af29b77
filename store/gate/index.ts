export type { Commit, PublishedCommit } from "./commit.ts";
export { createGate, type Gate, type GateOptions } from "./gate.ts";
export type { TaskActor, TaskSnapshot } from "./task-actor.ts";
