import { z } from "zod";
import { taskMachine } from "../../machines/task/task.machine.ts";
import { chartOf } from "../../visualize/chart/chart-of.ts";
import { sessionSchema } from "../../wire/http/api.ts";
import { suiteSchema } from "../../wire/http/suite.ts";
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
    path: "/api/suite",
    name: "getSuite",
    summary: "The measured control suite that the server shows: its tables and plots.",
    answer: { status: 200, description: "The suite, or null.", schema: suiteSchema },
    problems: [],
    run: async ({ suite = null }) => ({ suite }),
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
