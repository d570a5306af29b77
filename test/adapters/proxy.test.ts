import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../actors/protocol/edge.ts";
import { anthropic, google, openAICompatible, openai } from "../../adapters/index.ts";
import { authorizationFetch } from "../../adapters/mcp/authorization-fetch.ts";
import { MCP_LIMITS } from "../../adapters/mcp/options.ts";
import type { ChatModel, ModelEvent } from "../../ports/model.ts";
import { webFetch } from "../../tools/builtin/web-fetch.ts";
import { proxyOf } from "../../tools/web/proxy.ts";
import { anthropicMessages } from "../support/dialects/anthropic.ts";
import { google as googleDialect } from "../support/dialects/google.ts";
import { openaiChat } from "../support/dialects/openai-chat.ts";
import { openaiResponses } from "../support/dialects/openai-responses.ts";
import { type Dialect, openEndpoint } from "../support/dialects/server.ts";
import { openProxy, stubProxies } from "../support/proxy-server.ts";
import { runPorts } from "../support/run-ports.ts";
import { CERTIFICATE, serve } from "../tools/builtin/web-server.ts";

/** The user and the password of the proxy. */
const BASIC = `Basic ${Buffer.from("user:pass word").toString("base64")}`;
const apiKey = "key";

afterEach(() => vi.unstubAllEnvs());

const models: Readonly<Record<string, [Dialect, (baseURL: string) => ChatModel]>> = {
  "anthropic()": [anthropicMessages, (baseURL) => anthropic({ model: "m", baseURL, apiKey })],
  "openai()": [openaiResponses, (baseURL) => openai({ model: "m", baseURL, apiKey })],
  "google()": [googleDialect, (baseURL) => google({ model: "m", baseURL, apiKey })],
  "openAICompatible()": [openaiChat, (baseURL) => openAICompatible({ model: "m", baseURL, apiKey })],
};

async function textOf(model: ChatModel): Promise<string> {
  const events: ModelEvent[] = [];
  const messages = [{ role: "user", content: [{ type: "text", text: "Hello" }] }] as const;
  const { signal } = new AbortController();
  for await (const event of model.stream({ system: [], messages, tools: [] }, signal)) events.push(event);
  return events.map((event) => (event.type === "text.delta" ? event.text : "")).join("");
}

describe.each(Object.entries(models))("a model of %s", (_, [dialect, modelAt]) => {
  test.each(["HTTP_PROXY", "http_proxy"])(
    "is reached through the proxy of %s, with its user and password",
    async (variable) => {
      const endpoint = await openEndpoint(dialect, [
        { blocks: [{ type: "text", chunks: ["Yes."] }], end: "stop" },
      ]);
      onTestFinished(() => endpoint.close());
      const proxy = await openProxy(Number(new URL(endpoint.url).port));
      stubProxies({ [variable]: proxy.url });
      expect(await textOf(modelAt("http://model.invalid/v1"))).toBe("Yes.");
      expect(proxy.requests).toEqual([expect.stringMatching(/^POST http:\/\/model\.invalid\/v1\//)]);
      expect(proxy.requests[0]).toContain(BASIC);
      expect(endpoint.requests).toHaveLength(1);
    },
  );

  test("with a proxy that is not a URL fails, names the variable, and is not retried", async () => {
    stubProxies({ HTTP_PROXY: "http://user:secret@:x" });
    const failed = textOf(modelAt("http://model.invalid/v1"));
    await expect(failed).rejects.toMatchObject({ code: "connection_error", retryable: false });
    await expect(failed).rejects.toThrow(/HTTP_PROXY, such as http:.*\*\*\*@:x/);
    await expect(failed).rejects.not.toThrow("secret");
  });
});

describe("a URL over TLS", () => {
  const tunnel = async () => {
    const server = await serve((request, response) => {
      response.writeHead(200, { "content-type": "text/plain" }).end(`${request.method} ${request.url}`);
    }, "https");
    onTestFinished(() => server[Symbol.asyncDispose]());
    return { server, proxy: await openProxy(server.port) };
  };
  const fetched = async (url: string, options = {}) => {
    const prepared = webFetch({ ca: [CERTIFICATE], ...options }).prepare({ url });
    if (!prepared.ok) throw new Error(prepared.error);
    return JSON.stringify((await prepared.call.execute(await runPorts())).content);
  };

  test("is fetched by web_fetch through a tunnel, where its host is known to the proxy only", async () => {
    const { server, proxy } = await tunnel();
    stubProxies({ HTTPS_PROXY: proxy.url });
    expect(await fetched("https://page.test/a?b")).toContain("GET /a?b");
    expect(proxy.requests).toEqual([`CONNECT page.test:443 ${BASIC}`]);
    expect(server.requests).toEqual(["/a?b"]);
  });

  test.each([
    ["is an address of this machine", "https://127.0.0.1/", []],
    ["is an address of a private network", "https://10.0.0.1/", []],
    ["resolves to one", "https://page.test/", [{ address: "192.168.0.1", family: 4 }]],
    [
      "also resolves to one",
      "https://page.test/",
      [
        { address: "93.184.215.14", family: 4 },
        { address: "::1", family: 6 },
      ],
    ],
  ])("is not fetched by web_fetch through a proxy if its host %s", async (_, url, addresses) => {
    const { proxy } = await tunnel();
    stubProxies({ HTTPS_PROXY: proxy.url });
    await expect(fetched(url, { resolve: async () => addresses })).rejects.toThrow(/public/);
    expect(proxy.requests).toEqual([]);
  });

  test("is fetched without the proxy if NO_PROXY has its host", async () => {
    const { server, proxy } = await tunnel();
    stubProxies({ HTTPS_PROXY: proxy.url, NO_PROXY: "page.test" });
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const options = { resolve, allowPrivate: ["page.test"] };
    expect(await fetched(`https://page.test:${server.port}/`, options)).toContain("GET /");
    expect(proxy.requests).toEqual([]);
  });

  test("of a model is reached through a tunnel", async () => {
    const { server, proxy } = await tunnel();
    stubProxies({ https_proxy: proxy.url });
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    await expect(
      textOf(anthropic({ model: "m", apiKey, baseURL: "https://model.invalid" })),
    ).rejects.toMatchObject({ code: "bad_stream" });
    expect(proxy.requests).toEqual([`CONNECT model.invalid:443 ${BASIC}`]);
    expect(server.requests).toEqual(["/v1/messages"]);
  });
});

test("the authorization server of an MCP server is reached through the proxy", async () => {
  const server = await serve((_, response) => void response.end("{}"));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const proxy = await openProxy(server.port);
  stubProxies({ HTTP_PROXY: proxy.url });
  const fetch = authorizationFetch("http://mcp.invalid", { clock: systemClock, limits: MCP_LIMITS });
  const response = await fetch("http://auth.invalid/token", {
    method: "POST",
    body: new URLSearchParams({ code: "1" }),
  });
  expect(await response.json()).toEqual({});
  expect(proxy.requests).toEqual([`POST http://auth.invalid/token ${BASIC}`]);
});

describe("the proxy of a URL", () => {
  const of = (url: string, variables: Readonly<Record<string, string>>): string | undefined => {
    stubProxies(variables);
    return proxyOf(new URL(url))?.href;
  };

  test("depends on its scheme; https falls back to HTTP_PROXY, lower case goes first, a scheme may be left out", () => {
    const both = { HTTP_PROXY: "http://plain:1", HTTPS_PROXY: "http://secure:2" };
    expect(of("http://a.example", both)).toBe("http://plain:1/");
    expect(of("https://a.example", both)).toBe("http://secure:2/");
    expect(of("https://a.example", { HTTP_PROXY: "http://plain:1" })).toBe("http://plain:1/");
    expect(of("http://a.example", { HTTPS_PROXY: "http://secure:2" })).toBeUndefined();
    expect(of("https://a.example", { ...both, https_proxy: "other:3" })).toBe("http://other:3/");
    expect(of("https://a.example", {})).toBeUndefined();
  });

  test.each([
    ["*", "https://a.example", true],
    ["a.example", "https://a.example", true],
    ["A.Example", "https://a.example.", true],
    ["example", "https://a.example", true],
    [".example", "https://a.example", true],
    ["*.example", "https://a.example", true],
    ["b.example, a.example", "https://a.example", true],
    ["a.example:443", "https://a.example", true],
    ["a.example:8443", "https://a.example", false],
    ["ample", "https://a.example", false],
    ["10.0.0.0/8", "https://10.1.2.3", true],
    ["10.0.0.0/8", "https://11.1.2.3", false],
    ["2001:db8::/32", "https://[2001:db8::1]", true],
    ["[2001:db8::1]:443", "https://[2001:db8::1]", true],
    ["2001:db8::1", "https://[2001:db8::1]", true],
    ["10.1.2.3:80", "https://10.1.2.3", false],
    ["", "https://localhost:1", true],
    ["", "https://a.localhost", true],
    ["", "https://127.8.9.1", true],
    ["", "https://[::1]", true],
    ["", "https://[::ffff:127.0.0.1]", true],
  ])("is none with NO_PROXY %j for %s: %s", (list, url, isDirect) => {
    expect(of(url, { HTTPS_PROXY: "http://p:1", NO_PROXY: list }) === undefined).toBe(isDirect);
  });

  test.each(["://x", "http://", "ftp://p:1", "http://p:99999"])("is not %j, which is an error", (value) => {
    expect(() => of("https://a.example", { HTTPS_PROXY: value })).toThrow("HTTPS_PROXY");
  });
});
