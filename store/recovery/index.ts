export { type ReplayedTask, type ReplayOptions, replayJournal } from "./replay.ts";
export { readSubtaskOutcome, subtaskOutcome } from "./subtask-outcome.ts";
