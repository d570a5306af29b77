export { subtaskOutcome } from "../../machines/task/index.ts";
export { type PackedPassiveTask, packPassive, unpackPassive } from "./packed-passive.ts";
export { loadPassiveCopy, savePassiveCopy } from "./passive-copy.ts";
export { type ReplayedTask, type ReplayOptions, replayJournal } from "./replay.ts";
export { findSubtask, readSubtaskOutcome } from "./subtask-outcome.ts";
