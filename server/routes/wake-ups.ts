import { queuedSchema, wakeUpSchema } from "../../wire/http/api.ts";
import { route, taskParams } from "./route.ts";

const CLOSED = ["TASK_UNKNOWN", "TASK_CLOSED"];

const wakeUpParams = taskParams.extend({ wakeUpId: queuedSchema.shape.id });

export const wakeUpRoutes = [
  route({
    method: "post",
    path: "/api/tasks/{taskId}/wake-ups",
    name: "scheduleWakeUp",
    summary: "Schedules a wake-up: at that time the task continues with the message, once it is at rest.",
    params: taskParams,
    body: wakeUpSchema,
    example: { at: 1_798_704_000_000, everyMs: 3_600_000, message: "Look at the build" },
    answer: { status: 201, description: "The wake-up is recorded.", schema: queuedSchema },
    problems: [...CLOSED, "WAKE_UP_REFUSED", "WAKE_UP_OF_SUBTASK", "OPTION_INVALID"],
    run: ({ commands }, { params, body }) => commands.wakeAt(params.taskId, body),
  }),
  route({
    method: "delete",
    path: "/api/tasks/{taskId}/wake-ups/{wakeUpId}",
    name: "clearWakeUp",
    summary: "Clears a wake-up.",
    params: wakeUpParams,
    answer: { status: 204, description: "The wake-up is cleared." },
    problems: [...CLOSED, "WAKE_UP_UNKNOWN"],
    run: ({ commands }, { params }) => commands.clearWakeUp(params.taskId, params.wakeUpId),
  }),
];
