import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { EndpointReply } from "../../testing/index.ts";
import { openaiChat } from "../support/dialects/openai-chat.ts";
import { type Endpoint, openEndpoint } from "../support/dialects/server.ts";
import { installed } from "./installed.ts";
import { Process } from "./process.ts";

const box = installed();
const KEY = "a-secret-0123456789";

const DONE: EndpointReply = {
  blocks: [
    { type: "call", id: "call_1", name: "attempt_completion", chunks: ['{"result":', '"All done."}'] },
  ],
  end: "calls",
  usage: { input: 1_000, output: 100, cached: 400 },
};
const WRONG: EndpointReply = { status: 401, problem: "other" };

/** A user's folder with settings, and a workspace with its tasks. */
function place(settings = "version: 1\n") {
  const [config, workspace] = [box.newFolder(), box.newFolder()];
  const data = path.join(workspace, "data");
  mkdirSync(path.join(config, "signalbox"));
  const file = path.join(config, "signalbox/settings.yaml");
  writeFileSync(file, settings);
  const does = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const process = new Process(box.bin, args, { cwd: workspace, env: { XDG_CONFIG_HOME: config, ...env } });
    return { code: await process.end(), stdout: process.stdout, stderr: process.stderr };
  };
  const runs = (args: readonly string[], env?: NodeJS.ProcessEnv) =>
    does(["run", "-p", "--exit-on-error", "--data-dir", data, ...args, "Go"], env);
  const written = (): string =>
    readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8"))
      .join("\n");
  return { file, does, runs, written };
}

// A concurrent test does not know which one has finished.
const endpoints: Endpoint[] = [];
afterAll(() => Promise.all(endpoints.map((endpoint) => endpoint.close())));

async function endpointOf(...replies: readonly EndpointReply[]): Promise<Endpoint> {
  const endpoint = await openEndpoint(openaiChat, replies);
  endpoints.push(endpoint);
  return endpoint;
}

const SETTINGS = (url: string): string => `version: 1
profiles:
  local: { provider: openai-compatible, model: house/model, endpoint: "${url}/v1", keyVariable: LOCAL_KEY }
profile: local
models:
  openai-compatible/house/model: { contextWindow: 32768, maxTokens: 500, temperature: 0.5, inputPrice: 2, outputPrice: 10, cacheReadsPrice: 1 }
`;

describe.concurrent("an OpenAI-compatible endpoint, by settings alone,", () => {
  test("runs a task with its key, window, limit and prices, and the task continues there", async () => {
    const { url, requests } = await endpointOf(DONE, DONE);
    const { runs, written } = place(SETTINGS(url));
    const env = { LOCAL_KEY: KEY };
    const first = await runs(["-d", "--output-format", "json"], env);
    expect(first).toMatchObject({ code: 0, stderr: expect.not.stringContaining("Error") });
    expect(JSON.parse(first.stdout)).toMatchObject({
      content: "All done.",
      cost: { totalCost: 0.0026 },
    });
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({
      model: "house/model",
      max_tokens: 500,
      temperature: 0.5,
    });
    const again = await runs(["-c"], env);
    expect(again.code, again.stdout + again.stderr).toBe(0);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`]);
    const journal = written();
    const model = { provider: "openai-compatible", id: "house/model", endpoint: `${url}/v1` };
    expect(journal).toContain(`"model":${JSON.stringify({ ...model, contextWindow: 32_768 })}`);
    expect(journal).not.toContain("The model changed");
    expect(journal + first.stdout + first.stderr).not.toContain(KEY);
  });

  test("with a wrong key fails, and names the variable to check", async () => {
    const { url } = await endpointOf(WRONG);
    const { runs, written } = place(SETTINGS(url));
    const { code, stdout, stderr } = await runs([], { LOCAL_KEY: KEY });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain("401 Failed with 401.");
    expect(stdout + stderr).toContain("Check LOCAL_KEY.");
    expect(written() + stdout + stderr).not.toContain(KEY);
  });

  test("without its key is an error before any request, which names the variable to set", async () => {
    const { url, requests } = await endpointOf();
    const { stderr } = await place(SETTINGS(url)).runs([]);
    expect(stderr).toContain(
      "profile local: expected its API key in the environment variable LOCAL_KEY, which is not set.",
    );
    expect(requests).toEqual([]);
  });

  test("that can't be reached fails, and names the URL", async () => {
    const { url, close } = await openEndpoint(openaiChat, []);
    await close();
    const { code, stdout, stderr } = await place(SETTINGS(url)).runs([], { LOCAL_KEY: KEY });
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(`Cannot reach ${url}/v1/chat/completions`);
    expect(stdout + stderr).toContain("Check the network and the base URL.");
  });
});
