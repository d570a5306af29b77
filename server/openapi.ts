import { z } from "zod";
import { problemSchema } from "../wire/http/api.ts";
import { PROBLEM_TYPE } from "./headers.ts";
import type { Route } from "./routes/route.ts";

const JSON_TYPE = "application/json";

const VERSION = "1";

/** The OpenAPI 3.1 description of routes, from the schemas that validate them. */
export function openApi({
  routes,
  basePath,
}: {
  readonly routes: readonly Route[];
  readonly basePath: string;
}): unknown {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? {};
    path[route.method] = operationOf(route);
    paths[route.path] = path;
  }
  const hasSessions = routes.some(({ isOpen }) => isOpen === true);
  return {
    openapi: "3.1.0",
    info: { title: "signalbox", version: VERSION, description: "Tasks of an LLM agent, on one server." },
    ...(basePath !== "" && { servers: [{ url: basePath }] }),
    ...(hasSessions && { security: [{ bearer: [] }, { session: [] }] }),
    paths,
    components: {
      ...(hasSessions && { securitySchemes: SECURITY_SCHEMES }),
      schemas: { Problem: outputOf(problemSchema) },
    },
  };
}

/** The token of a server, and the cookie for it. A server that mounts the routes has its own authorization. */
const SECURITY_SCHEMES = {
  bearer: { type: "http", scheme: "bearer" },
  session: { type: "apiKey", in: "cookie", name: "signalbox-PORT" },
};

function operationOf(route: Route): unknown {
  const { name, path, summary, isOpen, params, body, example, answer, problems } = route;
  const isStream = answer.type === "text/event-stream" && propertiesOf(params).taskId !== undefined;
  const parameters = [
    ...Object.entries(propertiesOf(params)).map(([key, schema]) => {
      const isInPath = path.includes(`{${key}}`);
      return { name: key, in: isInPath ? "path" : "query", required: isInPath, schema };
    }),
    ...(isStream
      ? [{ name: "Last-Event-ID", in: "header", required: false, schema: { type: "string" } }]
      : []),
  ];
  return {
    operationId: name,
    summary,
    ...(isOpen === true && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(example !== undefined && {
      requestBody: { required: true, content: { [JSON_TYPE]: { schema: inputOf(body), example } } },
    }),
    responses: {
      [answer.status]: {
        description: answer.description,
        ...(answer.schema !== undefined && {
          content: { [answer.type ?? JSON_TYPE]: { schema: outputOf(answer.schema) } },
        }),
      },
      default: {
        description: `An error. Codes of this route: ${problems.join(", ") || "none"}.`,
        content: { [PROBLEM_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  };
}

const inputOf = (schema: z.ZodType): unknown =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
const outputOf = (schema: z.ZodType): unknown =>
  z.toJSONSchema(schema, { io: "output", unrepresentable: "any" });

const propertiesOf = (params: z.ZodObject): Readonly<Record<string, unknown>> =>
  z.toJSONSchema(params, { io: "input", unrepresentable: "any" }).properties ?? {};
