import { type Context, Hono } from "hono";
import type { Access } from "./access/access.ts";
import { readJson } from "./body.ts";
import { ServerError } from "./error.ts";
import { JSON_TYPE, NO_STORE, PROBLEM_HEADERS, SECURITY_HEADERS } from "./headers.ts";
import { NO_PAGE } from "./page/built-page.ts";
import { readPageFile } from "./page/page-file.ts";
import { problemOf } from "./problem.ts";
import type { Route } from "./routes/route.ts";
import type { Services } from "./services.ts";
import type { Connection } from "./stream/response-stream.ts";
import { isRelayed, relay } from "./workers/relay.ts";

interface Env {
  Bindings: Connection;
}

export interface AppParts {
  readonly access: Access;
  readonly routes: readonly Route[];
  /** The folder of the built page; undefined if it is not installed. False: there is no page. */
  readonly page: string | undefined | false;
  /** The path of the page and of `/api`. Empty, or with a slash at its beginning only. */
  readonly basePath: string;
}

const NOT_BUILT = "The page is not built. Only /api is served.\n";
const NOT_INSTALLED = `${NO_PAGE} Only /api is served.\n`;

/** Create the app of the routes and of the page. */
export function createApp(services: Services, parts: AppParts): Hono<Env> {
  const { routes, page, basePath } = parts;
  const app = new Hono<Env>().basePath(basePath);
  const description = `GET ${basePath}/api/openapi.json`;
  const unknownRoute = ({ req }: Context<Env>): never => {
    throw new ServerError("ROUTE_UNKNOWN", `There is no ${req.path}. See ${description}.`);
  };
  app.onError((error) => problemResponse(error, services));
  app.notFound(unknownRoute);
  for (const route of routes) addRoute(app, route, services, parts);
  for (const path of new Set(routes.map(pathOf)))
    app.all(path, ({ req }) => {
      const allow = routes
        .filter((route) => pathOf(route) === path)
        .map(({ method }) => method.toUpperCase())
        .join(", ");
      const message = `Expected ${allow} for ${req.path}, got ${req.method}. See ${description}.`;
      return problemResponse(new ServerError("METHOD_UNKNOWN", message), services, { allow });
    });
  app.all("/api/*", unknownRoute);
  if (page !== false) addPage(app, page, parts);
  return app;
}

function addRoute(
  app: Hono<Env>,
  route: Route,
  services: Services,
  { access }: Pick<AppParts, "access">,
): void {
  app.on(route.method.toUpperCase(), pathOf(route), async (context) => {
    if (context.req.method === "HEAD")
      throw new ServerError("METHOD_UNKNOWN", `Expected GET for ${route.path}, got HEAD.`);
    if (route.isOpen !== true) await access.assertRoute(context.req.raw);
    return serve(route, services, context);
  });
}

function addPage(
  app: Hono<Env>,
  folder: string | undefined,
  { access, basePath }: Pick<AppParts, "access" | "basePath">,
): void {
  app.get("*", async (context) => {
    const { req } = context;
    await access.assertPage(req.raw);
    // The page's addresses are relative to its folder.
    if (req.path === basePath) return context.redirect(`${basePath}/${new URL(req.url).search}`);
    return servePage(folder, req.path.slice(basePath.length));
  });
  app.all("*", ({ req }) => {
    throw new ServerError("METHOD_UNKNOWN", `Expected GET or HEAD for ${req.path}, got ${req.method}.`);
  });
}

const pathOf = ({ path }: Route): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

async function serve(route: Route, services: Services, context: Context<Env>): Promise<Response> {
  const body = await readJson(context.req.raw, services.bounds.bodyBytes);
  const taskId = context.req.param("taskId");
  const { workers } = services;
  if (workers !== undefined && taskId !== undefined && (await isRelayed(route, taskId, services)))
    return relay(workers.requests, taskId, context.req.raw, body);
  const headers = new Headers({ ...SECURITY_HEADERS, ...NO_STORE });
  const request = {
    lastEventId: context.req.header("last-event-id"),
    connection: context.env,
    header: (name: string, value: string) => headers.set(name, value),
  };
  const params = { ...context.req.query(), ...context.req.param() };
  const result = await route.serve(services, request, params, body);
  const { status, schema, type } = route.answer;
  if (schema === undefined) return new Response(null, { status, headers });
  headers.set("content-type", type === undefined ? JSON_TYPE : `${type}; charset=utf-8`);
  return new Response(result instanceof ReadableStream ? result : JSON.stringify(result), {
    status,
    headers,
  });
}

/** The response to a request that is not served. An error that is not the client's is reported. */
export function problemResponse(
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
