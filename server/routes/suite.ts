import { z } from "zod";
import { openedRunSchema, suiteSchema } from "../../wire/http/suite.ts";
import { ServerError } from "../error.ts";
import { route } from "./route.ts";

const runParams = z.object({
  run: z
    .string()
    .regex(/^\d{1,9}$/, "expected the index of a run, a number")
    .transform(Number),
});

export const suiteRoutes = [
  route({
    method: "get",
    path: "/api/suite",
    name: "getSuite",
    summary: "The measured control suite that the server shows: its tables, plots and runs.",
    answer: { status: 200, description: "The suite, or null.", schema: suiteSchema },
    problems: [],
    run: async ({ suite = null }) => ({ suite }),
  }),
  route({
    method: "post",
    path: "/api/suite/runs/{run}/open",
    name: "openRun",
    summary:
      "Writes the trajectory of a run of the control suite as a task, which can be followed like any other.",
    params: runParams,
    answer: { status: 200, description: "The task.", schema: openedRunSchema },
    problems: ["RUN_UNKNOWN"],
    async run({ openRun }, { params }) {
      const taskId = await openRun(params.run);
      if (taskId !== undefined) return { taskId };
      throw new ServerError(
        "RUN_UNKNOWN",
        `Expected the index of a run of the suite that has a log, got ${params.run}. Run the suite with --export inspect.`,
      );
    },
  }),
];
