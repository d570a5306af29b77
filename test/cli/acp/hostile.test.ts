import { methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { type AcpClient, inThisProcess } from "./acp-client.ts";
import { run, ScriptedFolder } from "./scripted-agent.ts";

const { session: names } = methods.agent;
const SERVER = { name: "a", command: "true", args: [], env: [] };
const WAITS = `[${run("mkfifo gate; echo be''gun; cat gate")}, { text: Done. }]`;

async function connected(
  script = "[{ text: Done. }]",
): Promise<{ folder: ScriptedFolder; client: AcpClient }> {
  const folder = await ScriptedFolder.open(script);
  const client = folder.connect();
  await client.initialize();
  return { folder, client };
}

test("requests with wrong types, folders and sessions are errors, and the connection goes on", async () => {
  const { folder, client } = await connected();
  const cwd = folder.workspace;
  const request = (method: string, params: unknown) => client.agent.request<unknown>(method, params);
  for (const [method, params, code] of [
    [names.new, { cwd: 7, mcpServers: [] }, -32602],
    [names.new, { cwd: ".", mcpServers: [] }, -32602],
    [names.new, { cwd: `${cwd}/a.txt`, mcpServers: [] }, -32603],
    [names.new, { cwd: `${cwd}/none`, mcpServers: [] }, -32602],
    [names.new, { cwd, mcpServers: [], additionalDirectories: ["/"] }, -32602],
    [names.new, { cwd, mcpServers: [{ name: "a", command: 7, args: [], env: [] }] }, -32602],
    [names.new, { cwd, mcpServers: [SERVER, SERVER] }, -32602],
    [names.new, null, -32602],
    [names.load, { sessionId: "../../etc", cwd, mcpServers: [] }, -32002],
    [names.load, { sessionId: "none", cwd, mcpServers: [] }, -32002],
    [names.prompt, { sessionId: "none", prompt: [] }, -32002],
    [names.prompt, { sessionId: "none", prompt: [{ type: "other" }] }, -32602],
    [names.setMode, { sessionId: "none", modeId: "code" }, -32002],
    [names.list, { cursor: "-1" }, -32602],
    ["session/unknown", {}, -32601],
  ] as const)
    await expect(request(method, params), `${method} ${JSON.stringify(params)}`).rejects.toMatchObject({
      code,
    });
  await client.cancel("none");
  const session = await client.session(cwd);
  expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
  expect(await client.end()).toBe(0);
  await folder.close();
});

test("lines that are not messages are answered with errors, and the connection goes on", async () => {
  const { folder, client } = await connected();
  const count = client.received.length;
  for (const line of ["{", "[]", "null", '"x"', "{}", '{"jsonrpc":"2.0"}', "\u0000"]) client.writeLine(line);
  await client.until(() => client.received.length === count + 7);
  for (const { error, id } of client.received.slice(count)) {
    expect(id).toBeNull();
    expect(error).toMatchObject({ code: expect.any(Number) });
  }
  const session = await client.session(folder.workspace);
  expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
  expect(await client.end()).toBe(0);
  await folder.close();
});

test("a second prompt and a second request with the same id don't disturb the first", async () => {
  const { folder, client } = await connected(WAITS);
  const sessionId = await client.session(folder.workspace);
  const line = (text: string): string =>
    JSON.stringify({
      jsonrpc: "2.0",
      id: "same",
      method: names.prompt,
      params: { sessionId, prompt: [{ type: "text", text }] },
    });
  client.writeLine(line("Go"));
  await client.until(() => JSON.stringify(client.updates()).includes("begun"));
  client.writeLine(line("Again"));
  const responses = () => client.received.filter(({ id }) => id === "same");
  await client.until(() => responses().length === 1);
  expect(responses()[0]?.error).toMatchObject({ code: -32600 });
  await client.cancel(sessionId);
  await client.until(() => responses().length === 2);
  expect(responses()[1]?.result).toEqual({ stopReason: "cancelled" });
  expect(await client.end()).toBe(0);
  await folder.close();
});

test("a cancel of the request cancels the turn", async () => {
  const { folder, client } = await connected(WAITS);
  const sessionId = await client.session(folder.workspace);
  const cancelled = new AbortController();
  const prompt = client.agent.request(
    names.prompt,
    { sessionId, prompt: [{ type: "text", text: "Go" }] },
    { cancellationSignal: cancelled.signal },
  );
  await client.until(() => JSON.stringify(client.updates()).includes("begun"));
  cancelled.abort();
  expect(await prompt).toEqual({ stopReason: "cancelled" });
  expect(await client.end()).toBe(0);
  await folder.close();
});

test("a request before initialize is rejected, and an input that ends at once ends the process", async () => {
  const folder = await ScriptedFolder.open("[{ text: Done. }]");
  const client = folder.connect();
  await expect(client.session(folder.workspace)).rejects.toMatchObject({ code: -32600 });
  expect(await client.end()).toBe(0);
  const silent = inThisProcess(folder.args, folder.env);
  silent.stdin.end();
  expect(await silent.code).toBe(0);
  await folder.close();
});

test("a line above the limit ends the process with an error, and its tasks settle", async () => {
  const { folder, client } = await connected(WAITS);
  const sessionId = await client.session(folder.workspace);
  client.prompt(sessionId, "Go").catch(() => {});
  await client.until(() => JSON.stringify(client.updates()).includes("begun"));
  client.writeLine("x".repeat(33 * 1024 * 1024));
  expect(await client.code).toBe(1);
  expect(client.stderr).toContain("byte limit");
  const next = folder.connect();
  await next.initialize();
  const { sessions } = await next.agent.request(names.list, {});
  expect(sessions).toMatchObject([{ sessionId }]);
  expect(await next.end()).toBe(0);
  await folder.close();
});
