export { connect, REMOTE_ARGUMENTS } from "./connect.ts";
export type { RemoteProcess } from "./lines.ts";
export { RemoteError, type RemoteErrorCode } from "./remote-error.ts";
export { RemoteTask } from "./remote-task.ts";
export type { TaskFace } from "./task-face.ts";
