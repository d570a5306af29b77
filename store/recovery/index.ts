export { type PackedPassiveTask, packPassive, unpackPassive } from "./packed-passive.ts";
export { loadPassiveCopy, savePassiveCopy } from "./passive-copy.ts";
export { type ReplayedTask, type ReplayOptions, replayJournal } from "./replay.ts";
export { readSubtaskOutcome, subtaskOutcome } from "./subtask-outcome.ts";
