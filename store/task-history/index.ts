export { type DeletedTasks, type DeleteOptions, deleteTask } from "./deletion.ts";
export { TaskHistoryError, type TaskHistoryErrorCode } from "./error.ts";
export { type ForkedTask, type ForkOptions, forkTask } from "./fork.ts";
export { findTask, taskIds } from "./lookup.ts";
export { type RecordedMessage, type RecordedTask, readTask } from "./recorded-task.ts";
export { stateFields, type TaskProblem, type TaskState, type TaskSummary } from "./summary.ts";
export { isTaskId, taskFolder } from "./task-folder.ts";
export { type ListOptions, listTasks, summarizeTask } from "./task-list.ts";
export { renameTask } from "./title.ts";
