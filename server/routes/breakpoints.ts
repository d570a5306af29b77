import { breakpointsSchema, setBreakpointsSchema } from "../../wire/http/api.ts";
import { route, taskParams } from "./route.ts";

const PROBLEMS = ["TASK_UNKNOWN", "TASK_CLOSED"];

export const breakpointRoutes = [
  route({
    method: "get",
    path: "/api/tasks/{taskId}/breakpoints",
    name: "breakpoints",
    summary: "The task's breakpoints.",
    params: taskParams,
    answer: { status: 200, description: "The breakpoints.", schema: setBreakpointsSchema },
    problems: PROBLEMS,
    run: ({ commands }, { params }) => commands.breakpoints(params.taskId),
  }),
  route({
    method: "post",
    path: "/api/tasks/{taskId}/breakpoints",
    name: "setBreakpoints",
    summary:
      "Sets the task's breakpoints: events are held before its machine processes them. A cancel is never held.",
    params: taskParams,
    body: breakpointsSchema,
    example: { events: ["tool.finished"] },
    answer: { status: 204, description: "The breakpoints are set." },
    problems: PROBLEMS,
    run: ({ commands }, { params, body }) => commands.setBreakpoints(params.taskId, body),
  }),
  route({
    method: "post",
    path: "/api/tasks/{taskId}/step",
    name: "stepTask",
    summary: "Releases the next held event. If none is held, the next event is.",
    params: taskParams,
    answer: { status: 204, description: "The event is released." },
    problems: PROBLEMS,
    run: ({ commands }, { params }) => commands.step(params.taskId),
  }),
  route({
    method: "post",
    path: "/api/tasks/{taskId}/resume",
    name: "resumeTask",
    summary: "Releases the held events, up to the next breakpoint.",
    params: taskParams,
    answer: { status: 204, description: "The task continues." },
    problems: PROBLEMS,
    run: ({ commands }, { params }) => commands.resume(params.taskId),
  }),
];
