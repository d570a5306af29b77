export { type OpenJournal, TaskHistory } from "./history.ts";
export { TaskPolicies } from "./task-policies.ts";
