export { openHistory, type TaskHistory, type TaskHistoryOptions } from "./task-history.ts";
