export {
  type AnswerBody,
  answerSchema,
  breakpointsSchema,
  editSchema,
  forkSchema,
  type NewTask,
  newTaskSchema,
  type OpenAskInfo,
  openAskSchema,
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
  wordsSchema,
} from "./api.ts";
export { type ReadTraceEvent, readTraceEvent } from "./read-trace-event.ts";
export { traceEventSchema } from "./trace.ts";
