export {
  type AnswerBody,
  answerSchema,
  breakpointsSchema,
  editSchema,
  forkSchema,
  type NewTask,
  newTaskSchema,
  type OpenAskInfo,
  type Problem,
  problemSchema,
  type QueuedEdit,
  queuedSchema,
  renameSchema,
  sessionSchema,
  setBreakpointsSchema,
  type TaskInfo,
  taskInfoSchema,
  taskListSchema,
  userMessageSchema,
} from "./api.ts";
export { readTraceEvent } from "./read-trace-event.ts";
export { traceEventSchema } from "./trace.ts";
