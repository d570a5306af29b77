import { breakpointsSchema, setBreakpointsSchema } from "../../wire/index.ts";
import { taskParams } from "./params.ts";
import { NO_BODY, route } from "./route.ts";

const PROBLEMS = ["TASK_UNKNOWN", "TASK_CLOSED"];

export const breakpointRoutes = [
  route({
    method: "get",
    path: "/api/tasks/{taskId}/breakpoints",
    name: "breakpoints",
    summary: "Where the task's events are held.",
    params: taskParams,
    body: NO_BODY,
    answer: { status: 200, description: "What is set.", schema: setBreakpointsSchema },
    problems: PROBLEMS,
    run: ({ desk }, { params }) => desk.breakpoints(params.taskId),
  }),
  route({
    method: "post",
    path: "/api/tasks/{taskId}/breakpoints",
    name: "setBreakpoints",
    summary: "Sets where the task's events are held before its machine takes them. A cancel always passes.",
    params: taskParams,
    body: breakpointsSchema,
    example: { events: ["tool.finished"] },
    answer: { status: 204, description: "They are set." },
    problems: PROBLEMS,
    run: ({ desk }, { params, body }) => desk.setBreakpoints(params.taskId, body),
  }),
  route({
    method: "post",
    path: "/api/tasks/{taskId}/step",
    name: "stepTask",
    summary: "Lets the next held event pass. Where none waits, the next that comes is held.",
    params: taskParams,
    body: NO_BODY,
    answer: { status: 204, description: "It has passed." },
    problems: PROBLEMS,
    run: ({ desk }, { params }) => desk.step(params.taskId),
  }),
  route({
    method: "post",
    path: "/api/tasks/{taskId}/resume",
    name: "resumeTask",
    summary: "Lets what is held pass, up to the next breakpoint.",
    params: taskParams,
    body: NO_BODY,
    answer: { status: 204, description: "It goes on." },
    problems: PROBLEMS,
    run: ({ desk }, { params }) => desk.resume(params.taskId),
  }),
];
