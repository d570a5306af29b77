import { explainedSchema, explainSchema } from "../../wire/http/explanation.ts";
import { route, taskParams } from "./route.ts";

export const explainRoutes = [
  route({
    method: "post",
    path: "/api/tasks/{taskId}/explain",
    name: "explainTask",
    summary:
      "Explains a record by the candidate transitions and the values that their guards read, or says what another event would do after it. Nothing is executed.",
    params: taskParams,
    body: explainSchema,
    example: { record: 12, event: { type: "task.cancel", origin: "user" } },
    answer: { status: 200, description: "The explanation.", schema: explainedSchema },
    problems: ["TASK_UNKNOWN", "TASK_CLOSED", "MOMENT_UNKNOWN"],
    run: async ({ commands, traces }, { params, body }) =>
      traces.explain(await commands.task(params.taskId), body),
  }),
];
