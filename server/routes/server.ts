import { z } from "zod";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { chartOf } from "../../visualize/chart/chart-of.ts";
import { modelsSchema, sessionSchema } from "../../wire/http/api.ts";
import { type Route, route } from "./route.ts";

/** The route that exchanges the token of a server for a cookie. */
export const sessionRoute = (access: { exchange(token: string): string }): Route =>
  route({
    method: "post",
    path: "/api/session",
    name: "startSession",
    summary: "Exchanges the token for a session cookie.",
    isOpen: true,
    body: sessionSchema,
    example: { token: "rZ8qk3..." },
    answer: { status: 204, description: "The cookie is set: HttpOnly, SameSite=Strict." },
    problems: ["TOKEN_WRONG"],
    async run(_services, { body, header }) {
      header("set-cookie", access.exchange(body.token));
    },
  });

export const serverRoutes = [
  route({
    method: "get",
    path: "/api/chart",
    name: "getChart",
    summary: "The task machine as a chart: its states and transitions.",
    answer: {
      status: 200,
      description: "The chart.",
      schema: z.object({ chart: z.looseObject({}) }),
    },
    problems: [],
    run: async () => ({ chart: chartOf(taskMachine) }),
  }),
  route({
    method: "get",
    path: "/api/models",
    name: "listModels",
    summary: "The models that a task can select by a profile, the standard one first.",
    answer: { status: 200, description: "The models.", schema: modelsSchema },
    problems: [],
    run: async ({ commands }) => ({ models: commands.models }),
  }),
  route({
    method: "get",
    path: "/api/openapi.json",
    name: "getDescription",
    summary: "This description.",
    answer: { status: 200, description: "An OpenAPI 3.1 document.", schema: z.looseObject({}) },
    problems: [],
    run: async ({ description }) => description(),
  }),
];
