export { subtaskActor } from "./subtask.ts";
