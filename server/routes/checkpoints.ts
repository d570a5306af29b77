import { z } from "zod";
import {
  checkpointDiffSchema,
  checkpointsSchema,
  restoredSchema,
  restoreSchema,
} from "../../wire/http/api.ts";
import { checkpointsIn, diffCheckpoint, restoreCheckpoint } from "../tasks/task-checkpoints.ts";
import { route, taskParams } from "./route.ts";

const CLOSED = ["TASK_UNKNOWN", "TASK_CLOSED"];
const FAILURES = ["CHECKPOINTS_OFF", "unknown", "git", "disk", "time", "files", "bytes", "store"];

/** A hash, or 7 characters of it or more. */
const checkpointParams = taskParams.extend({ checkpoint: z.string().regex(/^[0-9a-f]{7,64}$/) });

export const checkpointRoutes = [
  route({
    method: "get",
    path: "/api/tasks/{taskId}/checkpoints",
    name: "listCheckpoints",
    summary: "The checkpoints of the task's workspace that the task has saved, oldest first.",
    params: taskParams,
    answer: { status: 200, description: "The checkpoints.", schema: checkpointsSchema },
    problems: CLOSED,
    run: async ({ commands }, { params }) => ({
      checkpoints: checkpointsIn(await commands.task(params.taskId)),
    }),
  }),
  route({
    method: "get",
    path: "/api/tasks/{taskId}/checkpoints/{checkpoint}/diff",
    name: "diffCheckpoint",
    summary: "The changes that a restore of the checkpoint would make. Nothing is changed.",
    params: checkpointParams,
    answer: { status: 200, description: "The changes.", schema: checkpointDiffSchema },
    problems: [...CLOSED, ...FAILURES],
    run: async ({ commands }, { params }) =>
      diffCheckpoint(await commands.task(params.taskId), params.checkpoint),
  }),
  route({
    method: "post",
    path: "/api/tasks/{taskId}/checkpoints/{checkpoint}/restore",
    name: "restoreCheckpoint",
    summary:
      "Restores the files of the checkpoint, unless they have changed since the diff. The present files are saved first, as the checkpoint `undo`.",
    params: checkpointParams,
    body: restoreSchema,
    example: { present: "3f2a91c04b7d" },
    answer: { status: 200, description: "The files are restored.", schema: restoredSchema },
    problems: [...CLOSED, ...FAILURES, "TASK_BUSY", "changed"],
    run: async ({ commands }, { params, body }) =>
      restoreCheckpoint(await commands.task(params.taskId), params.checkpoint, body.present),
  }),
];
