import { deleteTask } from "../../../store/index.ts";

/** A process that deletes a task. */
const [dataDir = "", taskId = ""] = process.argv.slice(2);
await deleteTask(dataDir, taskId);
