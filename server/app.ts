import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { type Context, Hono } from "hono";
import { readJson } from "./body.ts";
import { ServerError } from "./error.ts";
import { JSON_TYPE, NO_STORE, PROBLEM_HEADERS, SECURITY_HEADERS } from "./headers.ts";
import { NO_PAGE } from "./page/built-page.ts";
import { readPageFile } from "./page/page-file.ts";
import { problemOf } from "./problem.ts";
import type { Route } from "./routes/route.ts";
import { ROUTES } from "./routes/routes.ts";
import type { Services } from "./services.ts";

interface Env {
  Bindings: HttpBindings;
}

const NOT_BUILT = "The page is not built. Only /api is served.\n";
const NOT_INSTALLED = `${NO_PAGE} Only /api is served.\n`;

/**
 * Where another server of `@hono/node-server` ran before this module was loaded, its constant has a form that is written
 * a second time. A clone has not.
 */
const ALREADY_SENT = RESPONSE_ALREADY_SENT.clone();

/** Create the app. The host and origin of its requests are already checked. */
export function createApp(services: Services, page: string | undefined): Hono<Env> {
  const app = new Hono<Env>();
  app.onError((error) => problemResponse(error, services));
  for (const route of ROUTES)
    app.on(route.method.toUpperCase(), pathOf(route), (context) => serve(route, services, context));
  for (const path of new Set(ROUTES.map(pathOf)))
    app.all(path, ({ req }) => {
      const allow = ROUTES.filter((route) => pathOf(route) === path)
        .map(({ method }) => method.toUpperCase())
        .join(", ");
      const message = `Expected ${allow} for ${req.path}, got ${req.method}. See GET /api/openapi.json.`;
      return problemResponse(new ServerError("METHOD_UNKNOWN", message), services, { allow });
    });
  app.all("/api/*", ({ req }) => {
    throw new ServerError("ROUTE_UNKNOWN", `There is no ${req.path}. See GET /api/openapi.json.`);
  });
  app.get("*", ({ req }) => servePage(page, req.path));
  app.all("*", ({ req }) => {
    throw new ServerError("METHOD_UNKNOWN", `Expected GET or HEAD for ${req.path}, got ${req.method}.`);
  });
  return app;
}

const pathOf = ({ path }: Route): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

async function serve(route: Route, services: Services, context: Context<Env>): Promise<Response> {
  const { incoming, outgoing } = context.env;
  if (context.req.method === "HEAD")
    throw new ServerError("METHOD_UNKNOWN", `Expected GET for ${route.path}, got HEAD.`);
  if (route.isOpen !== true) services.access.assertAllowed(incoming.headers, services.port());
  const headers = new Headers({ ...SECURITY_HEADERS, ...NO_STORE });
  const body = await readJson(context.req.raw, services.bounds.bodyBytes);
  const request = {
    lastEventId: context.req.header("last-event-id"),
    response: outgoing,
    header: (name: string, value: string) => headers.set(name, value),
  };
  const params = { ...context.req.query(), ...context.req.param() };
  const result = await route.serve(services, request, params, body);
  const { status, schema, type } = route.answer;
  if (type !== undefined) return ALREADY_SENT;
  if (schema === undefined) return new Response(null, { status, headers });
  headers.set("content-type", JSON_TYPE);
  return new Response(JSON.stringify(result), { status, headers });
}

function problemResponse(
  error: unknown,
  { onError }: Pick<Services, "onError">,
  more: Readonly<Record<string, string>> = {},
): Response {
  const problem = problemOf(error);
  if (problem.code === "INTERNAL") onError(error);
  // The rest of a body that is too large is not read, so the connection can't be reused.
  const end = problem.code === "BODY_TOO_LARGE" ? { connection: "close" } : {};
  const headers = { ...PROBLEM_HEADERS, ...end, ...more };
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}

async function servePage(folder: string | undefined, pathname: string): Promise<Response> {
  const file = folder === undefined ? undefined : await readPageFile(folder, pathname);
  // A browser's copy may be old: it revalidates each time.
  const headers = { ...SECURITY_HEADERS, "cache-control": "no-cache" };
  if (file !== undefined)
    return new Response(file.bytes, { headers: { ...headers, "content-type": file.type } });
  if (pathname === "/")
    return new Response(folder === undefined ? NOT_INSTALLED : NOT_BUILT, {
      status: 503,
      headers: { ...headers, "content-type": "text/plain; charset=utf-8" },
    });
  throw new ServerError("ROUTE_UNKNOWN", `There is no file ${pathname} in the page.`);
}
