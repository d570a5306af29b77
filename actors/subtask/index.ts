export { AllowedCompletions } from "./completions.ts";
export { type SubtaskPort, subtaskActor } from "./subtask.ts";
