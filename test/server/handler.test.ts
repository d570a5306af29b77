import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { anthropic } from "../../adapters/index.ts";
import { createHost } from "../../runtime/host.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { createHandler, fileJournals } from "../../server/index.ts";
import { problemSchema, type TaskInfo, taskInfoSchema, taskListSchema } from "../../wire/http/api.ts";
import { traceEventSchema } from "../../wire/http/trace.ts";
import { called, inHono, inNode, Mounted } from "./mounted.ts";
import { enters, SseReader } from "./support.ts";

// `serve` replaces them.
beforeEach(() => {
  vi.stubGlobal("Request", Request);
  vi.stubGlobal("Response", Response);
});
afterEach(() => void vi.unstubAllGlobals());

async function create(mounted: Mounted): Promise<TaskInfo> {
  const response = await mounted.fetch("/api/tasks", { method: "POST", json: { prompt: "Change it" } });
  expect(response.status).toBe(201);
  return taskInfoSchema.parse(await response.json());
}

async function problemIn(response: Response) {
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const { status, code, detail } = problemSchema.parse(await response.json());
  expect(response.status).toBe(status);
  return { status, code, detail };
}

describe.each([
  ["called with requests", called],
  ["mounted in a Hono app", inHono],
  ["mounted in a server of Node.js", inNode],
])("a handler %s", (_, mount) => {
  test("serves a task from its creation over its ask to its end", async () => {
    await using mounted = await Mounted.open(mount);
    expect(await (await mounted.fetch("/api/tasks")).json()).toEqual({ tasks: [] });
    const { id } = await create(mounted);
    const stream = await SseReader.open(mounted, `/api/tasks/${id}/events`);
    await stream.until(enters("waiting_for_input"));
    const list = taskListSchema.parse(await (await mounted.fetch("/api/tasks")).json());
    const [ask] = list.tasks[0]?.asks ?? [];
    const answered = await mounted.fetch(`/api/tasks/${id}/asks/${ask?.askId}/answer`, {
      method: "POST",
      json: { kind: "yes" },
    });
    expect(answered.status).toBe(204);
    await stream.until(enters("idle"));
    expect(await readFile(path.join(mounted.workspace, "a.txt"), "utf8")).toBe("two\n");
    const lines = (await (await mounted.fetch(`/api/tasks/${id}/trace`)).text()).trimEnd().split("\n");
    const trace = lines.map((line) => traceEventSchema.parse(JSON.parse(line)));
    expect(trace.map(({ seq }) => seq)).toEqual(trace.map((_event, place) => place));
    expect(trace.at(-1)).toMatchObject({ record: { after: "idle.completing" } });
    expect(mounted.handler.streams).toBe(1);
    await Promise.all([mounted.handler.close(), mounted.handler.close()]);
    expect(await stream.next()).toBeUndefined();
    expect(mounted.handler.streams).toBe(0);
    expect(await problemIn(await mounted.fetch("/api/tasks"))).toMatchObject({ code: "SERVER_CLOSED" });
    expect(mounted.host.tasks.has(id)).toBe(true);
    expect(mounted.errors).toEqual([]);
  });

  test("ends the stream of a reader that leaves", async () => {
    await using mounted = await Mounted.open(mount);
    const { body } = await mounted.fetch("/api/events");
    const reader = body?.getReader();
    expect((await reader?.read())?.value).toBeInstanceOf(Uint8Array);
    expect(mounted.handler.streams).toBe(1);
    await reader?.cancel();
    await expect.poll(() => mounted.handler.streams).toBe(0);
  });

  test("rejects what `authorize` does not accept, and reports what it throws", async () => {
    const failure = new Error("The directory is down.");
    await using mounted = await Mounted.open(mount, {
      authorize: ({ headers }) => {
        if (headers.get("authorization") === "Bearer broken") throw failure;
        return headers.get("authorization") === "Bearer mine";
      },
    });
    const send = (authorization: string, where: string): Promise<Response> =>
      mounted.fetch(where, { headers: { authorization } });
    for (const where of ["/api/tasks", "/api/events", "/api/openapi.json", "/", "/no.js"]) {
      const code = "UNAUTHORIZED";
      expect(await problemIn(await send("Bearer other", where)), where).toMatchObject({ status: 401, code });
    }
    const created = await mounted.fetch("/api/tasks", {
      method: "POST",
      json: { prompt: "Change it" },
      headers: { authorization: "" },
    });
    expect(created.status).toBe(401);
    expect(mounted.host.tasks.size).toBe(0);
    expect((await send("Bearer mine", "/api/tasks")).status).toBe(200);
    expect(mounted.errors).toEqual([]);
    const { status, code, detail } = await problemIn(await send("Bearer broken", "/api/tasks"));
    expect({ status, code }).toEqual({ status: 500, code: "INTERNAL" });
    expect(detail).not.toContain("directory");
    expect(mounted.errors).toMatchObject([{ cause: failure }]);
  });

  test("serves the page below its base path", async () => {
    await using mounted = await Mounted.open(mount);
    const redirect = await mounted.fetch("?a=b");
    expect([redirect.status, redirect.headers.get("location")]).toEqual([302, "/agents/?a=b"]);
    const page = await mounted.fetch("/");
    expect(await page.text()).toBe("<p>The page.</p>");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(await problemIn(await mounted.fetch("/none.js"))).toMatchObject({ code: "ROUTE_UNKNOWN" });
    expect(await problemIn(await mounted.fetch("/api/none"))).toMatchObject({ code: "ROUTE_UNKNOWN" });
    expect(await problemIn(await mounted.fetch("/api/tasks", { method: "PUT" }))).toMatchObject({
      code: "METHOD_UNKNOWN",
    });
  });
});

test("an error of `authorize` is a warning of the process without `onError`", async () => {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  onTestFinished(() => warn.mockRestore());
  const dataDir = path.join(tmpdir(), "no-tasks");
  const handler = createHandler({
    host: createHost({ dataDir }),
    history: openHistory({ dataDir }),
    journal: fileJournals(dataDir),
    task: { model: anthropic({ model: "claude-sonnet-4-5", apiKey: "mock" }) },
    workspace: ".",
    authorize: () => Promise.reject(new Error("The directory is down.")),
  });
  const response = await handler.fetch(new Request("https://app.example/api/tasks"));
  expect(await problemIn(response)).toMatchObject({ status: 500, code: "INTERNAL" });
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("The directory is down."));
  await handler.close();
});

describe("the base path", () => {
  test.each(["agents", "/agents/", "//agents//"])("may be written as %s", async (basePath) => {
    await using mounted = await Mounted.open(called, { basePath });
    expect((await mounted.fetch("/api/tasks")).status).toBe(200);
  });

  test.each(["", "/"])("is none if it is %j", async (basePath) => {
    await using mounted = await Mounted.open(called, { basePath });
    const headers = { authorization: "Bearer mine" };
    const get = (where: string) =>
      mounted.handler.fetch(new Request(`https://app.example${where}`, { headers }));
    expect((await get("/api/tasks")).status).toBe(200);
    expect(await (await get("/")).text()).toBe("<p>The page.</p>");
    expect((await get("/agents/api/tasks")).status).toBe(404);
  });

  test("is the only one that is served", async () => {
    await using mounted = await Mounted.open(called);
    for (const where of ["/", "/api/tasks", "/agents2/api/tasks", "/agent/api/tasks"])
      expect(
        await problemIn(await mounted.handler.fetch(new Request(`https://app.example${where}`))),
        where,
      ).toMatchObject({ status: 404, code: "ROUTE_UNKNOWN" });
  });

  test("is in the description, which has no route for a token", async () => {
    await using mounted = await Mounted.open(called);
    const description = await (await mounted.fetch("/api/openapi.json")).json();
    expect(description).toMatchObject({ servers: [{ url: "/agents" }] });
    expect(description).not.toHaveProperty("security");
    expect(description).not.toHaveProperty(["paths", "/api/session"]);
    const session = await mounted.fetch("/api/session", { method: "POST", json: { token: "x" } });
    expect(session.status).toBe(404);
  });

  test("has no page if the option `page` is false", async () => {
    await using mounted = await Mounted.open(called, { page: false });
    for (const where of ["", "/", "/index.html"])
      expect(await problemIn(await mounted.fetch(where)), where).toMatchObject({ code: "ROUTE_UNKNOWN" });
    expect((await mounted.fetch("/api/tasks")).status).toBe(200);
  });
});

describe("a request of a browser", () => {
  const OTHER = "https://evil.example";

  test.each([
    ["another site", { origin: OTHER, "sec-fetch-site": "cross-site" }],
    ["another subdomain", { origin: "https://blog.app.example", "sec-fetch-site": "same-site" }],
    ["another site in an old browser", { origin: OTHER }],
    ["a page without an origin", { origin: "null" }],
    ["an image of another site", { "sec-fetch-site": "cross-site" }],
    ["the same host at another port", { origin: "https://app.example:1" }],
  ])("from %s is rejected, whatever `authorize` says", async (_, headers) => {
    await using mounted = await Mounted.open(called, { authorize: () => true });
    for (const method of ["GET", "POST"])
      expect(
        await problemIn(
          await mounted.fetch("/api/tasks", {
            method,
            headers,
            ...(method === "POST" && { json: { prompt: "x" } }),
          }),
        ),
      ).toMatchObject({ status: 403, code: "ORIGIN_REFUSED" });
    expect(mounted.host.tasks.size).toBe(0);
  });

  test.each([
    ["a page of the site", { origin: "https://app.example", "sec-fetch-site": "same-origin" }],
    [
      "a page of the site behind a proxy that changes the host",
      { origin: OTHER, "sec-fetch-site": "same-origin" },
    ],
    ["a page of the site in an old browser behind a proxy for TLS", { origin: "http://app.example" }],
    ["the address bar", { "sec-fetch-site": "none" }],
    ["a program", {}],
    ["a site in `origins`", { origin: "https://friend.example", "sec-fetch-site": "cross-site" }],
  ])("from %s is served", async (_, headers) => {
    await using mounted = await Mounted.open(called, { origins: ["https://friend.example"] });
    expect((await mounted.fetch("/api/tasks", { headers })).status).toBe(200);
  });

  test("from a link of another site opens the page", async () => {
    await using mounted = await Mounted.open(called);
    expect((await mounted.fetch("/", { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(200);
  });
});
