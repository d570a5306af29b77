import { z } from "zod";
import { editSchema, queuedSchema, userMessageSchema } from "../../wire/http/api.ts";
import { route, taskParams } from "./route.ts";

const CLOSED = ["TASK_UNKNOWN", "TASK_CLOSED"];

const queuedParams = taskParams.extend({ messageId: z.string() });

export const queueRoutes = [
  route({
    method: "post",
    path: "/api/tasks/{taskId}/queue",
    name: "queueMessage",
    summary: "Queues a message: it is sent with the next request, and answers no ask.",
    params: taskParams,
    body: userMessageSchema,
    example: { text: "Update the tests, too" },
    answer: { status: 201, description: "The message is queued.", schema: queuedSchema },
    problems: [...CLOSED, "QUEUE_FULL", "OPTION_INVALID"],
    run: ({ commands }, { params, body }) => commands.queue(params.taskId, body.text, body.images),
  }),
  route({
    method: "patch",
    path: "/api/tasks/{taskId}/queue/{messageId}",
    name: "editQueued",
    summary: "Changes a queued message.",
    params: queuedParams,
    body: editSchema,
    example: { text: "Update all tests, too" },
    answer: { status: 204, description: "The message is changed." },
    problems: [...CLOSED, "QUEUED_UNKNOWN", "OPTION_INVALID"],
    run: ({ commands }, { params, body }) => commands.editQueued(params.taskId, params.messageId, body),
  }),
  route({
    method: "delete",
    path: "/api/tasks/{taskId}/queue/{messageId}",
    name: "unqueueMessage",
    summary: "Removes a queued message.",
    params: queuedParams,
    answer: { status: 204, description: "The message is removed." },
    problems: [...CLOSED, "QUEUED_UNKNOWN"],
    run: ({ commands }, { params }) => commands.unqueue(params.taskId, params.messageId),
  }),
];
