import { methods } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { installed } from "../installed.ts";
import { Process } from "../process.ts";
import { AcpClient, inProcess } from "./acp-client.ts";
import { READ, run, ScriptedFolder } from "./scripted-agent.ts";
import { nestedScript, statesOf, updatesAbout } from "./subagents.ts";

const box = installed();
const WAITS = `[${READ}, ${run("mkfifo gate; echo be''gun; cat gate")}, { text: Done. }]`;

/** The installed command, with a client at its pipes. */
function started(folder: ScriptedFolder): { readonly process: Process; readonly client: AcpClient } {
  const env = { ...folder.env, ANTHROPIC_API_KEY: "sk-test-0123456789" };
  const process = new Process(box.bin, ["acp", ...folder.args], { env });
  return { process, client: new AcpClient(inProcess(process)) };
}

test("a session is loaded with its whole history after its process was killed in a turn, and goes on", async () => {
  const folder = await ScriptedFolder.open(WAITS);
  const killed = started(folder);
  await killed.client.initialize();
  const sessionId = await killed.client.session(folder.workspace);
  killed.client.prompt(sessionId, "Go").catch(() => {});
  await killed.client.until(() => JSON.stringify(killed.client.updates()).includes("begun"));
  killed.process.child.kill("SIGKILL");
  await killed.process.code;

  const { client } = started(folder);
  await client.initialize();
  const load = { sessionId, cwd: folder.workspace, mcpServers: [] };
  await client.agent.request(methods.agent.session.load, load);
  expect(client.text("user_message_chunk")).toBe("Go");
  expect(client.updates().filter(({ sessionUpdate }) => sessionUpdate === "tool_call")).toMatchObject([
    { title: "Read a.txt", status: "completed" },
    { kind: "execute", status: "failed" },
  ]);
  expect(await client.prompt(sessionId, "Continue")).toEqual({ stopReason: "end_turn" });
  expect(await client.end()).toBe(0);
  await folder.close();
});

test.each(["load", "resume"] as const)(
  "subtasks that go on after their process was killed and a session/%s are announced once, with what they do now",
  async (method) => {
    const hangs = run("mkfifo gate; echo be''gun; cat gate");
    const folder = await ScriptedFolder.open(nestedScript(hangs, "execute_command"));
    folder.writeSettings("version: 1\npermissions:\n  allow: [subtask]\n");
    const killed = started(folder);
    await killed.client.initialize({ subagents: {} });
    const sessionId = await killed.client.session(folder.workspace);
    const children = [`${sessionId}.1`, `${sessionId}.1.1`];
    killed.client.prompt(sessionId, "Go").catch(() => {});
    await killed.client.until(() => JSON.stringify(killed.client.updates(children[1])).includes("begun"));
    killed.process.child.kill("SIGKILL");
    await killed.process.code;

    const { client } = started(folder);
    await client.initialize({ subagents: {} });
    const place = { sessionId, cwd: folder.workspace, mcpServers: [] };
    await client.agent.request(methods.agent.session[method], place);
    const before = client.received.length;
    for (const child of children) {
      const announced = updatesAbout(client, child);
      // Nothing is known of what they do.
      expect(announced).toMatchObject(method === "load" ? [{ capabilities: {} }] : []);
      expect(statesOf(client, child)).toEqual([]);
    }
    expect(await client.prompt(sessionId, "Continue")).toEqual({ stopReason: "end_turn" });
    for (const child of children) {
      const announced = updatesAbout(client, child);
      expect(announced.filter(({ description }) => description !== undefined)).toHaveLength(1);
      expect(announced[method === "load" ? 1 : 0]).toMatchObject({ capabilities: { cancel: {} } });
      expect(statesOf(client, child).slice(-2)).toEqual([
        { state: "running" },
        { state: "idle", stopReason: "end_turn" },
      ]);
      const first = client.received.findIndex(
        ({ params }, index) => index >= before && JSON.stringify(params).includes(`"${child}"`),
      );
      expect(client.received[first]?.params).toMatchObject({ update: { sessionId: child } });
    }
    expect(await client.end()).toBe(0);
    await folder.close();
  },
);

test("writes nothing but messages to its output, and settles its tasks at a signal", async () => {
  const folder = await ScriptedFolder.open(WAITS);
  const { client, process } = started(folder);
  await client.initialize();
  const sessionId = await client.session(folder.workspace);
  const prompt = client.prompt(sessionId, "Go");
  await client.until(() => JSON.stringify(client.updates()).includes("begun"));
  process.child.kill("SIGTERM");
  expect(await prompt).toEqual({ stopReason: "cancelled" });
  expect(await process.code).toBe(143);
  expect(client.invalid).toEqual([]);
  expect(process.stderr).toBe("");
  await folder.close();
});

test("a session that is open in another process is not loaded", async () => {
  const folder = await ScriptedFolder.open(WAITS);
  const [one, other] = [started(folder).client, started(folder).client];
  await one.initialize();
  const sessionId = await one.session(folder.workspace);
  one.prompt(sessionId, "Go").catch(() => {});
  await one.until(() => JSON.stringify(one.updates()).includes("begun"));
  await other.initialize();
  const load = { sessionId, cwd: folder.workspace, mcpServers: [] };
  await expect(other.agent.request(methods.agent.session.load, load)).rejects.toThrow(
    "is open in another process",
  );
  expect(await other.end()).toBe(0);
  expect(await one.end()).toBe(0);
  await folder.close();
});
