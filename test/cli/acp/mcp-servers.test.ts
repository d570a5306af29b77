import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { type McpServer, methods } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { rawServer } from "../../support/mcp/servers.ts";
import { ScriptedFolder } from "./scripted-agent.ts";

const { session: names } = methods.agent;

const raw = (...args: readonly string[]): { readonly command: string; readonly args: string[] } => {
  const server = rawServer(...args);
  if (!("command" in server)) throw new Error("expected a process");
  return { command: server.command, args: [...(server.args ?? [])] };
};

/** A server that writes its process id to a file first. */
function noting(file: string, name: string, ...modes: readonly string[]): McpServer {
  const { command, args } = raw(...modes);
  const script = 'echo $$ > "$0"; exec "$@"';
  return {
    name,
    command: "sh",
    args: ["-c", script, file, command, ...args],
    env: [{ name: "MINE", value: "1" }],
  };
}

const isAlive = (pid: string): boolean => {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};

/** The settings with one server. */
const settingsWith = (name: string): string =>
  JSON.stringify({ version: 1, mcpServers: { [name]: raw(), other: raw() } });

describe.concurrent("the MCP servers of a client", () => {
  test("are used beside the servers of the settings, replace servers of the same name, and end with the session", async () => {
    const folder = await ScriptedFolder.open(
      "[[{ tool: shared__env, input: {} }, { tool: other__env, input: {} }], { text: Done. }]",
    );
    folder.writeSettings(settingsWith("shared"));
    const client = folder.connect();
    const { agentCapabilities } = await client.initialize();
    expect(agentCapabilities?.mcpCapabilities).toEqual({ http: true, sse: false });
    const file = path.join(folder.workspace, "pid");
    const { sessionId } = await client.agent.request(names.new, {
      cwd: folder.workspace,
      mcpServers: [noting(file, "shared")],
    });
    expect(await client.prompt(sessionId, "Go")).toEqual({ stopReason: "end_turn" });
    const [shared, other] = client
      .updates()
      .flatMap((update) =>
        update.sessionUpdate === "tool_call_update" && update.content ? [JSON.stringify(update.content)] : [],
      )
      .filter((content) => content.includes("PATH"));
    expect(shared).toContain("MINE");
    expect(other).not.toContain("MINE");
    const pid = readFileSync(file, "utf8");
    expect(isAlive(pid)).toBe(true);
    await client.agent.request(names.close, { sessionId });
    expect(isAlive(pid)).toBe(false);
    expect(await client.end()).toBe(0);
    await folder.close();
  });

  test("that can't be used or connected are named, and fail no session", async () => {
    const folder = await ScriptedFolder.open("[{ text: Done. }]");
    const client = folder.connect();
    await client.initialize();
    const { sessionId } = await client.agent.request(names.new, {
      cwd: folder.workspace,
      mcpServers: [
        { type: "sse", name: "old", url: "http://127.0.0.1/", headers: [] },
        { name: "a/b", command: "true", args: [], env: [] },
        { name: "ends", ...raw("crash"), env: [] },
        { type: "http", name: "web", url: "no URL", headers: [{ name: "X", value: "1" }] },
      ],
    });
    await client.prompt(sessionId, "Go");
    const text = client.text("agent_message_chunk");
    expect(text).toContain('Warning: the MCP server "old" is left out: expected stdio or http.');
    expect(text).toContain('Warning: the MCP server "a/b" is left out: expected a name');
    expect(text).toContain("Warning: the MCP server ends is not ready");
    expect(text).toContain("Warning: the MCP server web is not ready");
    expect(text).toMatch(/Done\.$/);
    expect(await client.end()).toBe(0);
  });

  test("are named in a notice after the session, to a client that takes notices", async () => {
    const folder = await ScriptedFolder.open("[{ text: Done. }]");
    const client = folder.connect();
    await client.initialize({ session: { notices: {} } });
    await client.agent.request(names.new, {
      cwd: folder.workspace,
      mcpServers: [{ type: "sse", name: "old", url: "http://127.0.0.1/", headers: [] }],
    });
    const notices = () => client.updates().filter(({ sessionUpdate }) => sessionUpdate === "notice");
    expect(notices()).toEqual([]);
    await client.until(() => notices().length > 0);
    expect(notices()).toMatchObject([
      { severity: "warning", title: expect.stringContaining('"old" is left out') },
    ]);
    expect(await client.end()).toBe(0);
    await folder.close();
  });

  test("are closed while they connect, when the client disconnects", async () => {
    const folder = await ScriptedFolder.open("[{ text: Done. }]");
    const client = folder.connect();
    await client.initialize();
    const fifo = path.join(folder.workspace, "pid");
    execFileSync("mkfifo", [fifo]);
    client.agent
      .request(names.new, { cwd: folder.workspace, mcpServers: [noting(fifo, "silent", "hang")] })
      .catch(() => {});
    const pid = await readFile(fifo, "utf8");
    expect(await client.end()).toBe(0);
    expect(isAlive(pid)).toBe(false);
    await folder.close();
  });
});
