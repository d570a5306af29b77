import { editSchema, queuedSchema, wordsSchema } from "../../wire/index.ts";
import { queuedParams, taskParams } from "./params.ts";
import { NO_BODY, route } from "./route.ts";

const CLOSED = ["TASK_UNKNOWN", "TASK_CLOSED"];

export const queueRoutes = [
  route({
    method: "post",
    path: "/api/tasks/{taskId}/queue",
    name: "queueWords",
    summary: "Puts words into the queue: they go with the next request, and answer nothing.",
    params: taskParams,
    body: wordsSchema,
    example: { text: "And mind the tests" },
    answer: { status: 201, description: "They wait.", schema: queuedSchema },
    problems: [...CLOSED, "QUEUE_FULL", "OPTION_INVALID"],
    run: ({ desk }, { params, body }) => desk.queue(params.taskId, body.text, body.images),
  }),
  route({
    method: "patch",
    path: "/api/tasks/{taskId}/queue/{messageId}",
    name: "editQueued",
    summary: "Changes words that wait in the queue.",
    params: queuedParams,
    body: editSchema,
    example: { text: "And mind all tests" },
    answer: { status: 204, description: "They are changed." },
    problems: [...CLOSED, "QUEUED_UNKNOWN", "OPTION_INVALID"],
    run: ({ desk }, { params, body }) => desk.editQueued(params.taskId, params.messageId, body),
  }),
  route({
    method: "delete",
    path: "/api/tasks/{taskId}/queue/{messageId}",
    name: "unqueueWords",
    summary: "Takes words out of the queue.",
    params: queuedParams,
    body: NO_BODY,
    answer: { status: 204, description: "They are gone." },
    problems: [...CLOSED, "QUEUED_UNKNOWN"],
    run: ({ desk }, { params }) => desk.unqueue(params.taskId, params.messageId),
  }),
];
