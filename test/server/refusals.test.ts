import { request } from "node:http";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { problemSchema } from "../../wire/http/api.ts";
import { enters, Served, SseReader } from "./support.ts";

const QUESTION = `{ tool: ask_followup_question, input: { question: "Which?", follow_up: [{ text: This }] } }`;
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;

let served: Served;
let id: string;
let askId: number;
beforeAll(async () => {
  served = await Served.open({ script: `[${QUESTION}, ${DONE}]`, bounds: { bodyBytes: 2_000 } });
  ({ id } = await served.create("Ask me"));
  const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
  await stream.until(enters("waiting_for_input"));
  stream.close();
  askId = (await served.info(id)).asks[0]?.askId ?? 0;
});
afterAll(() => served[Symbol.asyncDispose]());

/** A request with exactly these headers, which `fetch` does not allow. */
async function raw(
  headers: Readonly<Record<string, string>>,
  { method = "GET", where = "/api/tasks", body = "" } = {},
): Promise<{
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly body: unknown;
}> {
  return new Promise((resolve, reject) => {
    const { port } = served.server;
    const sent = request(
      { port, host: "127.0.0.1", path: where, method, headers, setHost: false },
      (response) => {
        const told = { status: response.statusCode, type: response.headers["content-type"] };
        json(response).then((said) => resolve({ ...told, body: said }), reject);
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

async function problemIn(response: Response): Promise<{ readonly status: number; readonly code: string }> {
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  const { status, code, detail, title, type } = problemSchema.parse(await response.json());
  expect(response.status).toBe(status);
  expect(detail).not.toBe("");
  expect(title).not.toBe("");
  expect(type).toBe(`urn:signalbox:${code}`);
  return { status, code };
}

describe("access", () => {
  const good = (): Record<string, string> => ({
    host: `127.0.0.1:${served.server.port}`,
    authorization: `Bearer ${served.server.token}`,
  });

  test.each([
    ["a name of another site that leads here", { host: "evil.example" }, 403, "HOST_REFUSED"],
    ["no name at all", { host: "" }, 403, "HOST_REFUSED"],
    ["a name with more behind it", { host: "localhost/../x" }, 403, "HOST_REFUSED"],
    ["a page of another site", { origin: "https://evil.example" }, 403, "ORIGIN_REFUSED"],
    ["a page of another port of this machine", { origin: "http://127.0.0.1:1" }, 403, "ORIGIN_REFUSED"],
    ["a page that is nowhere", { origin: "null" }, 403, "ORIGIN_REFUSED"],
    ["an image of another page", { "sec-fetch-site": "same-site" }, 403, "ORIGIN_REFUSED"],
    ["a wrong token", { authorization: "Bearer nothing" }, 401, "UNAUTHORIZED"],
    ["no token", { authorization: "" }, 401, "UNAUTHORIZED"],
    ["a cookie that somebody made up", { authorization: "", cookie: "signalbox=1" }, 401, "UNAUTHORIZED"],
  ])("%s is rejected", async (_, headers, status, code) => {
    const response = await raw({ ...good(), ...headers });
    expect(response).toMatchObject({ status, type: "application/problem+json", body: { code, status } });
  });

  test("the token is sufficient, from a page of this server or from no page", async () => {
    expect((await raw(good())).status).toBe(200);
    const origin = `http://localhost:${served.server.port}`;
    expect(
      (await raw({ ...good(), host: origin.slice(7), origin, "sec-fetch-site": "same-origin" })).status,
    ).toBe(200);
  });

  test("the token is exchanged for an HttpOnly, same-site cookie", async () => {
    const { url, token, port } = served.server;
    const headers = { "content-type": "application/json" };
    const wrong = await fetch(`${url}/api/session`, { method: "POST", headers, body: `{"token":"x"}` });
    expect(await problemIn(wrong)).toEqual({ status: 401, code: "TOKEN_WRONG" });
    const response = await fetch(`${url}/api/session`, {
      method: "POST",
      headers,
      body: JSON.stringify({ token }),
    });
    expect(response.status).toBe(204);
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(new RegExp(`^signalbox-${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`));
    expect(cookie).not.toContain(token);
    const [pair = ""] = cookie.split(";");
    expect((await fetch(`${url}/api/tasks`, { headers: { cookie: pair } })).status).toBe(200);
  });

  test("every response has a strict policy, and tasks are not cached", async () => {
    for (const where of ["/api/tasks", "/api/nothing", "/", `/api/tasks/${id}/trace`]) {
      const response = await served.fetch(where);
      await response.text();
      expect(response.headers.get("content-security-policy")).toMatch(
        /^default-src 'none'; script-src 'self'; /,
      );
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("cross-origin-resource-policy")).toBe("same-origin");
      if (where !== "/") expect(response.headers.get("cache-control")).toBe("no-store");
    }
  });
});

describe("validation", () => {
  const type = { "content-type": "application/json" };

  test.each([
    ["JSON that is cut", { ...type }, `{"prompt":`, 400, "BODY_INVALID"],
    ["bytes that are no UTF-8", { ...type }, new Uint8Array([0x22, 0xff, 0x22]), 400, "BODY_INVALID"],
    ["a field of another kind", { ...type }, `{"prompt":7}`, 400, "BODY_INVALID"],
    ["no body", {}, undefined, 400, "BODY_INVALID"],
    ["a form", { "content-type": "text/plain" }, `{"prompt":"x"}`, 415, "BODY_TYPE"],
    ["a body without a type", { "content-type": "" }, `{"prompt":"x"}`, 415, "BODY_TYPE"],
    ["more than is taken", { ...type }, `{"prompt":"${"x".repeat(3_000)}"}`, 413, "BODY_TOO_LARGE"],
    ["a folder that is not there", { ...type }, `{"prompt":"x","workspace":"none"}`, 400, "NOT_FOUND"],
    ["an id that can be nobody's", { ...type }, `{"prompt":"x","id":"../x"}`, 400, "OPTION_INVALID"],
  ])("%s is rejected, and creates no task", async (_, headers, body, status, code) => {
    const before = served.host.tasks.size;
    const response = await served.fetch("/api/tasks", {
      method: "POST",
      headers,
      ...(body !== undefined && { body }),
    });
    expect(await problemIn(response)).toEqual({ status, code });
    expect(served.host.tasks.size).toBe(before);
  });

  test("a body of unknown length is limited while it is read", async () => {
    const piece = new TextEncoder().encode(" ".repeat(1_000));
    let pieces = 0;
    const body = new ReadableStream({
      pull(controller) {
        pieces += 1;
        controller.enqueue(piece);
        if (pieces > 50) controller.close();
      },
    });
    const response = await served.fetch("/api/tasks", {
      method: "POST",
      headers: { ...type },
      body,
      duplex: "half",
    } as RequestInit);
    expect(await problemIn(response)).toEqual({ status: 413, code: "BODY_TOO_LARGE" });
  });

  test.each([
    ["GET", "/api/nothing", 404, "ROUTE_UNKNOWN"],
    ["PUT", "/api/tasks", 405, "METHOD_UNKNOWN"],
    ["GET", "/api/tasks/none", 404, "TASK_UNKNOWN"],
    ["GET", "/api/tasks/none/events", 404, "TASK_UNKNOWN"],
    ["GET", "/api/tasks/..%2f..%2fetc/trace", 400, "ID_INVALID"],
    ["POST", "/api/tasks/none/open", 404, "TASK_UNKNOWN"],
    ["POST", "/api/tasks/none/cancel", 404, "TASK_UNKNOWN"],
    ["POST", "/api/tasks/none/fork", 400, "BODY_INVALID"],
    ["POST", "/", 405, "METHOD_UNKNOWN"],
    ["GET", "/../package.json", 404, "ROUTE_UNKNOWN"],
    ["GET", "/%2e%2e/package.json", 404, "ROUTE_UNKNOWN"],
  ])("%s %s is a %i", async (method, where, status, code) => {
    expect(await problemIn(await served.fetch(where, { method }))).toEqual({ status, code });
  });

  test.each([
    ["an invalid id", "first"],
    ["a position that the trace does not reach", "900.900.0.-.900"],
  ])("a stream from %s is rejected", async (_, lastEventId) => {
    const response = await served.fetch(`/api/tasks/${id}/events`, {
      headers: { "last-event-id": lastEventId },
    });
    expect(await problemIn(response)).toEqual({ status: 400, code: "POSITION_INVALID" });
  });
});

describe("L8: an answer to no open ask changes nothing and reports the reason (field failure 25)", () => {
  const answerTo = (ask: number | string, body: unknown): Promise<Response> =>
    served.post(`/api/tasks/${id}/asks/${ask}/answer`, body);

  test("an unknown ask, a kind that it does not accept, or an unknown task", async () => {
    const before = await served.trace(id);
    expect(await problemIn(await answerTo(1, { kind: "yes" }))).toEqual({ status: 409, code: "ASK_UNKNOWN" });
    expect(await problemIn(await answerTo(askId, { kind: "yes" }))).toEqual({
      status: 409,
      code: "ANSWER_REFUSED",
    });
    expect(await problemIn(await answerTo("x", { kind: "yes" }))).toEqual({
      status: 400,
      code: "PARAMETER_INVALID",
    });
    expect(await problemIn(await answerTo(askId, { kind: "maybe" }))).toEqual({
      status: 400,
      code: "BODY_INVALID",
    });
    const proceed = await served.post(`/api/tasks/${id}/asks/${askId}/proceed`);
    expect(await problemIn(proceed)).toEqual({ status: 409, code: "ANSWER_REFUSED" });
    const busy = await served.post(`/api/tasks/${id}/words`, { text: "Go on" });
    expect(await problemIn(busy)).toEqual({ status: 409, code: "TASK_BUSY" });
    expect(await served.trace(id)).toEqual(before);
  });

  test("of two clients that answer, one succeeds and the other gets an error; so does a late one", async () => {
    const answers = await Promise.all([
      answerTo(askId, { kind: "text", text: "This" }),
      answerTo(askId, { kind: "text", text: "That" }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
    await stream.until(enters("idle"));
    stream.close();
    const before = await served.trace(id);
    const late = await problemIn(await answerTo(askId, { kind: "text", text: "Late" }));
    expect(late).toEqual({ status: 409, code: "ASK_ALREADY_ANSWERED" });
    expect(await served.trace(id)).toEqual(before);
    const said = before.filter(
      ({ record }) => record.kind === "commit" && JSON.stringify(record.log).includes('"user_feedback"'),
    );
    expect(said).toHaveLength(1);
    await served.post(`/api/tasks/${id}/close`);
    expect(await problemIn(await answerTo(askId, { kind: "yes" }))).toEqual({
      status: 409,
      code: "TASK_CLOSED",
    });
  });
});
