export { type SubtaskPort, subtaskActor } from "./subtask.ts";
