import { deleteTask } from "../../../store/task-history/deletion.ts";
import { fileHistory } from "../../../store/task-history/file-history.ts";

/** A process that deletes a task. */
const [dataDir = "", taskId = ""] = process.argv.slice(2);
await deleteTask(fileHistory(dataDir), taskId);
