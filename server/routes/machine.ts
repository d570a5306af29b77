import { z } from "zod";
import { NO_BODY, NO_PARAMS, route } from "./route.ts";

export const machineRoutes = [
  route({
    method: "get",
    path: "/api/chart",
    name: "getChart",
    summary: "The task machine as a chart: its states and transitions, with a layout.",
    params: NO_PARAMS,
    body: NO_BODY,
    answer: {
      status: 200,
      description: "The chart and its layout.",
      schema: z.object({ chart: z.looseObject({}), layout: z.looseObject({}) }),
    },
    problems: [],
    run: ({ chart }) => chart(),
  }),
  route({
    method: "get",
    path: "/api/openapi.json",
    name: "getDescription",
    summary: "This description.",
    params: NO_PARAMS,
    body: NO_BODY,
    answer: { status: 200, description: "An OpenAPI 3.1 document.", schema: z.looseObject({}) },
    problems: [],
    run: async ({ description }) => description(),
  }),
];
