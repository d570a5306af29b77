export { type ReplayedTask, type ReplayOptions, replayJournal } from "./replay.ts";
export { endIn, type Kinship, subtaskEnd } from "./subtask-outcome.ts";
