import { EventEmitter } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { main } from "../../cli/main.ts";
import type { EndpointReply } from "../../testing/index.ts";
import { openaiChat } from "../support/dialects/openai-chat.ts";
import { type Endpoint, openEndpoint } from "../support/dialects/server.ts";

const KEY = "a-secret-0123456789";
const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const DONE: EndpointReply = {
  blocks: [{ type: "call", id: "call_1", name: "attempt_completion", chunks: ['{"result":"All done."}'] }],
  end: "calls",
};

const offeredTool = z.object({
  function: z.object({
    name: z.string(),
    parameters: z.object({ properties: z.record(z.string(), z.unknown()) }),
  }),
});
const requestTools = z.object({ tools: z.array(offeredTool) });

/** The command, in a workspace of its own, with the settings of a user. */
function place(settings = "version: 1\n") {
  const workspace = mkdtempSync(path.join(folder, "work-"));
  const config = path.join(workspace, "config");
  mkdirSync(path.join(config, "signalbox"), { recursive: true });
  const file = path.join(config, "signalbox/settings.yaml");
  writeFileSync(file, settings);
  const does = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const io = Object.assign(new EventEmitter(), {
      stdin: new PassThrough().end(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      env: { XDG_CONFIG_HOME: config, ...env },
    });
    const code = await main([...args], io, "signalbox");
    const said = (stream: PassThrough): string => String(stream.read() ?? "");
    return { code, stdout: said(io.stdout), stderr: said(io.stderr) };
  };
  const runs = (args: readonly string[], env?: NodeJS.ProcessEnv) =>
    does(["run", "-p", "-w", workspace, "--data-dir", path.join(workspace, "data"), ...args, "Go"], env);
  return { file, does, runs };
}

async function endpointOf(...replies: readonly EndpointReply[]): Promise<Endpoint> {
  const endpoint = await openEndpoint(openaiChat, replies);
  onTestFinished(() => endpoint.close());
  return endpoint;
}

const SETTINGS = (url: string): string => `version: 1
profiles:
  local: { provider: openai-compatible, model: house/model, endpoint: "${url}/v1", keyVariable: LOCAL_KEY }
profile: local
`;

describe("a model of the command line", () => {
  test("is named with its provider; with --provider, or a profile of any names, by its whole name", async () => {
    const { url, requests } = await endpointOf(DONE, DONE, DONE);
    const runs = place().runs;
    const at = ["--base-url", `${url}/v1`];
    await runs([...at, "--model", "openai-compatible/a/b"]);
    await runs([...at, "--provider", "openai-compatible", "--model", "openai/b"]);
    const { runs: runsLocal } = place(SETTINGS(url));
    await runsLocal(["--profile", "local", "--model", "openai/c"], { LOCAL_KEY: KEY });
    expect(requests.map(({ body }) => JSON.parse(body).model)).toEqual(["a/b", "openai/b", "openai/c"]);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      undefined,
      `Bearer ${KEY}`,
    ]);
  });

  test.each([
    [["--model", "openai/gpt-5"], {}, "no API key: set OPENAI_API_KEY, or pass --api-key KEY."],
    [["--model", "google/gemini-2.5-pro"], {}, "no API key: set GEMINI_API_KEY, or pass --api-key KEY."],
    [["--provider", "openai"], { OPENAI_API_KEY: KEY }, "no model: the provider openai has no default."],
    [
      ["--model", "openai-compatible/m"],
      {},
      "no endpoint: the provider openai-compatible has none of its own.",
    ],
  ])("that %j can't use is an error that says what to set", async (args, env, expected) => {
    const { runs, file } = place();
    const { code, stderr } = await runs(args, env);
    expect(code).toBe(1);
    expect(stderr).toContain(`[CLI] Error: ${expected}`);
    if (!expected.startsWith("no model")) expect(stderr).toContain(`Or define a profile in ${file}:`);
  });
});

test("new_task offers the profiles of the settings, and no other model that can be selected", async () => {
  const { url, requests } = await endpointOf(DONE, DONE);
  const env = { LOCAL_KEY: KEY, OPENAI_API_KEY: KEY };
  await place(SETTINGS(url)).runs([], env);
  await place().runs(["--base-url", `${url}/v1`, "--model", "openai-compatible/a"], env);
  const offered = requests.map(({ body }) => {
    const { tools } = requestTools.parse(JSON.parse(body));
    return tools.find(({ function: { name } }) => name === "new_task")?.function.parameters.properties
      .profile;
  });
  expect(offered).toEqual([expect.objectContaining({ enum: ["local"] }), undefined]);
});

test("list models has the models of the settings, with the prices that they change", async () => {
  const { does } = place(
    "version: 1\nmodels: { openai/gpt-5: { inputPrice: 1, outputPrice: 9 }, openai-compatible/m: { inputPrice: 2, outputPrice: 3 } }\n",
  );
  const { stdout } = await does(["list", "models"]);
  expect(stdout).toContain("openai/gpt-5\t$1\t$9\n");
  expect(stdout).toContain("openai-compatible/m\t$2\t$3\n");
  expect(stdout).toContain("anthropic/claude-sonnet-4-6\t$3\t$15\n");
});
