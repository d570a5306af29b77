export { type ServedTask, TaskCommands } from "./task-commands.ts";
export { TaskList } from "./task-list.ts";
