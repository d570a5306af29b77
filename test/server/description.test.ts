import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ROUTES } from "../../server/routes/routes.ts";
import { sessionRoute } from "../../server/routes/server.ts";
import { Served } from "./support.ts";

const SERVED = [sessionRoute({ exchange: (token) => token }), ...ROUTES];

let served: Served;
beforeAll(async () => {
  served = await Served.open({ script: "- text: Hello." });
});
afterAll(() => served[Symbol.asyncDispose]());

const Operation = z.object({
  operationId: z.string(),
  summary: z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.string() })).default([]),
  requestBody: z
    .object({
      content: z.object({ "application/json": z.object({ schema: z.unknown(), example: z.unknown() }) }),
    })
    .optional(),
  responses: z.record(z.string(), z.object({ description: z.string() })),
});
const Description = z.object({
  openapi: z.literal("3.1.0"),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
});

test("exactly the served routes are described", async () => {
  const { paths } = Description.parse(await (await served.fetch("/api/openapi.json")).json());
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${method} ${path} ${operationId}`),
  );
  expect(described.sort()).toEqual(
    SERVED.map(({ method, path, name }) => `${method} ${path} ${name}`).sort(),
  );
  expect(new Set(SERVED.map(({ name }) => name)).size).toBe(SERVED.length);
});

test("each path names its parameters, and each body has a valid example", async () => {
  const { paths } = Description.parse(await (await served.fetch("/api/openapi.json")).json());
  for (const route of SERVED) {
    const { parameters, requestBody, responses } = Operation.parse(paths[route.path]?.[route.method]);
    const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameters.filter((each) => each.in === "path").map(({ name }) => name)).toEqual(named);
    expect(Object.keys(responses)).toEqual([String(route.answer.status), "default"]);
    if (requestBody === undefined) expect(route.body.safeParse(undefined).success, route.name).toBe(true);
    else {
      const { example } = requestBody.content["application/json"];
      expect(route.body.safeParse(example).success, route.name).toBe(true);
      // A schema says what it rejects, too.
      const schema = z.fromJSONSchema(requestBody.content["application/json"].schema as never);
      expect(schema.safeParse(example).success, route.name).toBe(true);
      expect(schema.safeParse(7).success, route.name).toBe(false);
    }
  }
});

test("every route is served: none is unknown, and a wrong method is rejected with the allowed ones", async () => {
  for (const { method, path } of SERVED) {
    const where = path.replaceAll(/\{(\w+)\}/g, "7");
    if (where === "/api/events") continue;
    const response = await served.fetch(where, { method: method.toUpperCase() });
    expect(await response.text(), `${method} ${path}`).not.toMatch(/ROUTE_UNKNOWN|METHOD_UNKNOWN|INTERNAL/);
    const other = await served.fetch(where, { method: "PUT" });
    expect(other.status).toBe(405);
    expect(other.headers.get("allow")?.split(", ")).toContain(method.toUpperCase());
  }
});

test("the machine's chart has its states", async () => {
  const Chart = z.object({
    chart: z.object({ states: z.array(z.unknown()).min(6) }),
  });
  Chart.parse(await (await served.fetch("/api/chart")).json());
});
