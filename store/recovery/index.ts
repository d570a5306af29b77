export { type Recalled, type RecallOptions, recallTask } from "./recall.ts";
export { endIn, type Kinship, subtaskEnd } from "./subtask-end.ts";
