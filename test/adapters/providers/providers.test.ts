import { inspect } from "node:util";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { google, openAICompatible, openai } from "../../../adapters/index.ts";
import type { ChatModel, ModelEvent } from "../../../ports/model.ts";
import type { EndpointReply } from "../../../testing/index.ts";
import { google as googleDialect } from "../../support/dialects/google.ts";
import { openaiChat } from "../../support/dialects/openai-chat.ts";
import { openaiResponses } from "../../support/dialects/openai-responses.ts";
import { type Dialect, openEndpoint } from "../../support/dialects/server.ts";

const KEY = "a-secret-0123456789";
const YES: EndpointReply = {
  blocks: [{ type: "text", chunks: ["Yes."] }],
  end: "stop",
  usage: { input: 1_000_000, output: 100_000, cached: 400_000 },
};
const WRONG: EndpointReply = { status: 401, problem: "other" };

afterEach(() => vi.unstubAllEnvs());

async function endpointOf(dialect: Dialect, ...replies: readonly EndpointReply[]) {
  const endpoint = await openEndpoint(dialect, replies);
  onTestFinished(() => endpoint.close());
  return endpoint;
}

async function eventsOf(model: ChatModel): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  const messages = [{ role: "user", content: [{ type: "text", text: "Hello" }] }] as const;
  const { signal } = new AbortController();
  for await (const event of model.stream({ system: [], messages, tools: [] }, signal)) events.push(event);
  return events;
}

const costIn = (events: readonly ModelEvent[]): number | null | undefined =>
  events.flatMap((event) => (event.type === "finished" ? [event.usage.cost] : [])).at(-1);

const makers = {
  openai: [openai, openaiResponses, "OPENAI_API_KEY", "gpt-5"],
  google: [google, googleDialect, "GEMINI_API_KEY", "gemini-2.5-flash"],
} as const;

describe.each(Object.entries(makers))("a model of %s", (provider, [make, dialect, variable, model]) => {
  test("has the name of its provider, its window and its endpoint without credentials", () => {
    const made = make({ model, baseURL: "http://user:secret@localhost:1/v1/?key=secret" });
    expect(made).toMatchObject({ id: model, provider, endpoint: "http://localhost:1/v1" });
    expect(made.contextWindow).toBeGreaterThan(100_000);
    expect(make({ model: "house-model" }).contextWindow).toBeUndefined();
  });

  test(`sends the key of ${variable}, read for each request, and the headers`, async () => {
    const { url, requests } = await endpointOf(dialect, YES);
    const made = make({ model, baseURL: url, headers: { "x-team": "blue" } });
    vi.stubEnv(variable, KEY);
    await eventsOf(made);
    expect(inspect(requests[0]?.headers)).toContain(KEY);
    expect(requests[0]?.headers["x-team"]).toBe("blue");
  });

  test("without a key fails, and names the variable to set", async () => {
    vi.stubEnv(variable, "");
    vi.stubEnv("GOOGLE_GENERATIVE_AI_API_KEY", "");
    await expect(eventsOf(make({ model }))).rejects.toMatchObject({
      code: "no_api_key",
      retryable: false,
      message: expect.stringContaining(`No API key: set ${variable}`),
    });
  });

  test("with a wrong key fails, and says which one to check", async () => {
    const { url } = await endpointOf(dialect, WRONG, WRONG);
    await expect(eventsOf(make({ model, baseURL: url, apiKey: KEY }))).rejects.toMatchObject({
      code: "authentication_error",
      message: expect.stringMatching(new RegExp(`\nCheck ${variable}, or .*the apiKey option\\.$`)),
    });
    await expect(eventsOf(make({ model, baseURL: url, apiKey: KEY, keySource: "TEAM_KEY" }))).rejects.toThrow(
      "\nCheck TEAM_KEY.",
    );
  });

  test("sends its temperature and topP, also 0, and neither without the option", async () => {
    const { url, requests } = await endpointOf(dialect, YES, YES);
    // A model that reasons takes neither.
    const at = { model: provider === "openai" ? "gpt-4.1" : model, baseURL: url, apiKey: KEY };
    await eventsOf(make({ ...at, temperature: 0, topP: 0.5 }));
    await eventsOf(make(at));
    const [sent = "", without = ""] = requests.map(({ body }) => body);
    expect(sent).toContain('"temperature":0,');
    expect(sent).toMatch(/"top_?[pP]":0.5/);
    expect(without).not.toMatch(/temperature|top_?p/i);
  });

  test("has the cost of its price in the table, or of the option; without one it is unknown", async () => {
    const { url } = await endpointOf(dialect, YES, YES, YES);
    const at = { baseURL: url, apiKey: KEY };
    const listed = costIn(await eventsOf(make({ ...at, model })));
    // 600,000 tokens, 400,000 of the cache, 100,000 out.
    expect(listed).toBeCloseTo(provider === "openai" ? 0.75 + 0.05 + 1 : 0.18 + 0.012 + 0.25, 10);
    expect(costIn(await eventsOf(make({ ...at, model: "house-model" })))).toBeNull();
    const prices = { house: { input: 1, output: 2, cacheWrite: 1, cacheRead: 0.5 } };
    expect(costIn(await eventsOf(make({ ...at, model: "house-model", prices })))).toBeCloseTo(1, 10);
  });
});

describe("a model of a compatible endpoint", () => {
  const at = (baseURL: string) => ({ model: "qwen3-coder", baseURL, contextWindow: 32_768 });

  test("sends no key unless it has one", async () => {
    const { url, requests } = await endpointOf(openaiChat, YES, YES);
    await eventsOf(openAICompatible(at(url)));
    await eventsOf(openAICompatible({ ...at(url), apiKey: KEY }));
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([undefined, `Bearer ${KEY}`]);
  });

  test("sends the effort, the limit of a response, temperature and topP, and options of the package", async () => {
    const { url, requests } = await endpointOf(openaiChat, YES);
    const providerOptions = { openaiCompatible: { user: "me" } };
    const sampling = { temperature: 0, topP: 0.5 };
    await eventsOf(
      openAICompatible({ ...at(url), ...sampling, effort: "low", maxTokens: 100, providerOptions }),
    );
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({
      temperature: 0,
      top_p: 0.5,
      reasoning_effort: "low",
      max_tokens: 100,
      user: "me",
    });
  });

  test("without a base URL fails, and says what to set", async () => {
    await expect(eventsOf(openAICompatible({ model: "qwen3-coder" }))).rejects.toMatchObject({
      code: "no_endpoint",
      message: expect.stringContaining("baseURL"),
    });
  });

  test("that can't be reached is named without its query, and retried", async () => {
    const { url, close } = await openEndpoint(openaiChat, []);
    await close();
    await expect(eventsOf(openAICompatible(at(url)))).rejects.toMatchObject({
      code: "connection_error",
      retryable: true,
      message: expect.stringContaining(`Cannot reach ${url}`),
    });
  });

  test("has its key in no error, also where the endpoint or the header repeats it", async () => {
    const echo: Dialect = { ...openaiChat, error: () => ({ error: { message: `Not a key: ${KEY}` } }) };
    const { url } = await endpointOf(echo, WRONG);
    for (const apiKey of [KEY, "no-header\n0123456789"]) {
      const error: unknown = await eventsOf(openAICompatible({ ...at(url), apiKey })).catch(
        (failure: unknown) => failure,
      );
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { depth: 20 })).not.toContain(apiKey);
    }
  });
});

describe("a stream of Chat Completions whose pieces of arguments have no id", () => {
  const piece = (fields: object, json: string, more: object = {}) => ({
    ...chunk({ tool_calls: [{ ...fields, function: { arguments: json, ...more } }] }),
  });
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: "chat_1",
    object: "chat.completion.chunk",
    created: 1,
    model: "model-1",
    choices: [{ index: 0, delta, finish_reason }],
  });
  const calls = async (...pieces: readonly object[]) => {
    const dialect = { ...openaiChat, frames: () => ({ blocks: pieces, end: [chunk({}, "tool_calls")] }) };
    const { url } = await endpointOf(dialect, { blocks: [], end: "calls" });
    return eventsOf(openAICompatible({ model: "m", baseURL: url }));
  };
  const argumentsOf = (events: readonly ModelEvent[]) =>
    events.reduce<string[]>((all, event) => {
      if (event.type === "tool.start") all.push("");
      else if (event.type === "tool.delta") all.push(`${all.pop()}${event.json}`);
      return all;
    }, []);

  test("gives each piece to the call of its number", async () => {
    const events = await calls(
      piece({ index: 0, id: "a" }, "", { name: "look" }),
      piece({ index: 1, id: "b" }, "", { name: "look" }),
      piece({ index: 1 }, '{"at":'),
      piece({ index: 0 }, '{"at":1}'),
      piece({ index: 1 }, "2}"),
    );
    expect(argumentsOf(events)).toEqual(['{"at":1}', '{"at":2}']);
  });

  test("gives each piece without a number to the only open call", async () => {
    const events = await calls(
      piece({ id: "a" }, "", { name: "look" }),
      piece({}, '{"at":'),
      piece({}, "1}"),
    );
    expect(argumentsOf(events)).toEqual(['{"at":1}']);
  });

  test("fails where a piece belongs to no call: none runs without its arguments", async () => {
    const response = calls(
      piece({ id: "a" }, "", { name: "look" }),
      piece({ id: "b" }, "", { name: "look" }),
      piece({}, '{"at":1}'),
      piece({}, '{"at":2}'),
    );
    await expect(response).rejects.toMatchObject({ code: "bad_stream", retryable: true });
  });
});
