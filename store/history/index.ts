export { type DeletedTasks, type DeleteOptions, deleteTask } from "./delete.ts";
export { TaskHistoryError, type TaskHistoryErrorCode } from "./error.ts";
export { findTask, taskIds } from "./find.ts";
export { type ForkedTask, type ForkOptions, forkTask } from "./fork.ts";
export { type ListOptions, listTasks, summarizeTask, summaryOf } from "./list.ts";
export { isTaskId, taskFolder } from "./places.ts";
export { type RecordedRow, type RecordedTask, readTask } from "./read.ts";
export type { TaskProblem, TaskState, TaskSummary } from "./summary.ts";
export { renameTask } from "./title.ts";
