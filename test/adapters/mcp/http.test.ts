import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, inputRequired, McpServer as SdkServer } from "@modelcontextprotocol/server";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { McpServer } from "../../../adapters/mcp/server.ts";
import type { ElicitationRequest } from "../../../machines/message/elicitation.ts";
import { connected } from "../../support/mcp/servers.ts";
import { openProxy, stubProxies } from "../../support/proxy-server.ts";
import { stillClock } from "../../support/still-clock.ts";

const never = new AbortController().signal;

interface Served extends AsyncDisposable {
  readonly url: string;
  /** The bodies of the calls of tools. */
  readonly calls: readonly string[];
  /** The tools that it has from now on, besides `echo` and `ask`. */
  offer(...names: readonly string[]): void;
}

/** How the next call of a tool ends, in place of its response. */
type Fault = "ends" | "is cut" | "is refused" | "floods";

/** A server of 2026-07-28. */
async function serve(fault?: Fault, cacheTtlMs?: number): Promise<Served> {
  let more: readonly string[] = [];
  const calls: string[] = [];
  const handler = createMcpHandler(() => {
    const server = new SdkServer(
      { name: "modern", version: "1" },
      {
        capabilities: { tools: { listChanged: true } },
        ...(cacheTtlMs !== undefined && { cacheHints: { "tools/list": { ttlMs: cacheTtlMs } } }),
      },
    );
    server.registerTool("echo", { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
      content: [{ type: "text", text }],
    }));
    server.registerTool("ask", {}, ({ mcpReq: { inputResponses } }) =>
      inputResponses === undefined
        ? inputRequired({
            inputRequests: {
              name: inputRequired.elicit({
                message: "Your name?",
                requestedSchema: { type: "object", properties: { name: { type: "string" } } },
              }),
            },
          })
        : { content: [{ type: "text", text: JSON.stringify(inputResponses) }] },
    );
    for (const name of more) server.registerTool(name, {}, () => ({ content: [] }));
    return server;
  });
  const listen = getRequestListener((request) => handler.fetch(request));
  const http = createServer(async (request, response) => {
    const body = request.method === "POST" ? await bodyOf(request) : "";
    const isCall = request.headers["mcp-method"] === "tools/call";
    if (isCall) calls.push(body);
    if (isCall && fault !== undefined) return fail(response, fault);
    return listen(Object.assign(request, { rawBody: Buffer.from(body) }), response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    offer(...names) {
      more = names;
      handler.notify.toolsChanged();
    },
    async [Symbol.asyncDispose]() {
      await handler.close();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

function fail(response: ServerResponse, fault: Fault): void {
  if (fault === "is refused") {
    response.writeHead(403).end("no");
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(fault === "floods" ? `data: ${"x".repeat(50_000)}` : ": it runs\n\n");
  if (fault === "is cut") setImmediate(() => response.destroy());
  if (fault === "ends") response.end();
}

const changed = (server: McpServer, fits: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if (fits()) resolve();
    };
    server.onChange(check);
    check();
  });

const names = (server: McpServer): readonly string[] => server.listing.tools.map(({ name }) => name);

async function echo(server: McpServer, text = "hello") {
  const connection = await server.connection(never);
  return connection.callTool("echo", { text }, { signal: never });
}

describe("a server over HTTP", () => {
  test("speaks the newest protocol, runs calls, and rejects wrong arguments", async () => {
    await using served = await serve();
    await using server = await connected({ url: served.url });
    expect(server.status).toEqual({ name: "s", state: "ready", protocol: "2026-07-28", tools: 2 });
    expect(await echo(server)).toEqual({ content: [{ type: "text", text: "hello" }] });
    const connection = await server.connection(never);
    const wrong = connection.callTool("echo", { text: 1 }, { signal: never });
    expect(JSON.stringify(await wrong.catch(String))).toMatch(/expected string/);
  });

  test("is reached through the proxy of the environment", async () => {
    await using served = await serve();
    const proxy = await openProxy(Number(new URL(served.url).port));
    stubProxies({ HTTP_PROXY: proxy.url });
    await using server = await connected({ url: "http://mcp.invalid/mcp" });
    expect(await echo(server)).toEqual({ content: [{ type: "text", text: "hello" }] });
    expect(proxy.requests[0]).toMatch(/^POST http:\/\/mcp\.invalid\/mcp /);
  });

  test("says that its tools changed", async () => {
    await using served = await serve();
    await using server = await connected({ url: served.url });
    await echo(server);
    served.offer("new");
    await changed(server, () => names(server).includes("new"));
    expect(names(server)).toEqual(["echo", "ask", "new"]);
  });

  test.each(["ends", "is cut", "floods"] as const)(
    "whose stream %s before the response makes the call uncertain, and is sent no second one (L12, field failure 32)",
    async (fault) => {
      await using served = await serve(fault);
      await using server = await connected(
        { url: served.url },
        {
          limits: { messageBytes: 40_000, discardedBytes: 45_000 },
        },
      );
      await expect(echo(server)).rejects.toThrow("The outcome of echo is uncertain: it was started");
      expect(served.calls).toHaveLength(1);
    },
  );

  test("that refuses a call has not run it", async () => {
    await using served = await serve("is refused");
    await using server = await connected({ url: served.url });
    await expect(echo(server)).rejects.toThrow("The MCP server rejected the call");
  });

  test("that needs input gets it in the same call, and a cancel where nobody can be asked", async () => {
    await using served = await serve();
    await using server = await connected({ url: served.url });
    const connection = await server.connection(never);
    const ask = async (request: ElicitationRequest) => {
      expect(request).toMatchObject({ from: "s", mode: "form", message: "Your name?" });
      return { action: "accept", content: { name: "Ada" } } as const;
    };
    const asked = await connection.callTool("ask", {}, { signal: never, elicit: { from: "s", ask } });
    expect(JSON.stringify(asked.content)).toContain("Ada");
    const cancelled = await connection.callTool("ask", {}, { signal: never });
    expect(JSON.stringify(cancelled.content)).toContain("cancel");
  });

  test("that is not there is tried again, and one that refuses is not", async () => {
    const gone = await serve();
    await gone[Symbol.asyncDispose]();
    await using server = await connected({ url: gone.url }, { clock: stillClock() });
    expect(server.status).toMatchObject({
      state: "waiting",
      reason: expect.stringContaining("ECONNREFUSED"),
    });
    const http = createServer((_, response) => response.writeHead(401).end());
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    const { port } = http.address() as AddressInfo;
    await using refused = await connected({ url: `http://127.0.0.1:${port}/` });
    expect(refused.status.state).toBe("failed");
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
});
