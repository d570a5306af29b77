import { deleteTask } from "../../../store/task-history/deletion.ts";

/** A process that deletes a task. */
const [dataDir = "", taskId = ""] = process.argv.slice(2);
await deleteTask(dataDir, taskId);
