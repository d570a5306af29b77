export { type SubtaskPort, type SubtaskUnavailable, subtaskActor } from "./subtask.ts";
