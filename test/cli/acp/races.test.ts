import { createInterface } from "node:readline";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { inThisProcess, select } from "./acp-client.ts";
import { ASK, run, ScriptedFolder, WRITE } from "./scripted-agent.ts";

const { agent } = methods;

describe.concurrent("requests that do not wait for each other are taken in order", () => {
  test("session/new before initialize is answered", async () => {
    const folder = await ScriptedFolder.open("[{ text: Done. }]");
    const args = [...folder.args, "--api-key", "sk-test-0123456789"];
    const { stdin, stdout, code } = inThisProcess(args, folder.env);
    const requests = [
      { id: 0, method: agent.initialize, params: { protocolVersion: 1, clientCapabilities: {} } },
      { id: 1, method: agent.session.new, params: { cwd: folder.workspace, mcpServers: [] } },
    ];
    // In one piece: the agent has read both before it answers the first.
    stdin.write(requests.map((request) => `${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`).join(""));
    const answers: unknown[] = [];
    for await (const line of createInterface({ input: stdout })) {
      const message: unknown = JSON.parse(line);
      if (typeof message === "object" && message !== null && "id" in message) answers.push(message);
      if (answers.length === requests.length) stdin.end();
    }
    expect(answers).toMatchObject([
      { id: 0, result: { protocolVersion: 1 } },
      { id: 1, result: { sessionId: expect.any(String) } },
    ]);
    expect(await code).toBe(0);
    await folder.close();
  });

  test("a request without initialize is still an error", async () => {
    const folder = await ScriptedFolder.open("[{ text: Done. }]");
    const client = folder.connect();
    await expect(client.session(folder.workspace)).rejects.toThrow("initialize");
    await client.initialize();
    await client.session(folder.workspace);
    expect(await client.end()).toBe(0);
    await folder.close();
  });

  test("session/prompt directly after session/cancel waits for the end of the cancelled turn", async () => {
    const folder = await ScriptedFolder.open(`[${run("echo be''gun; sleep 60")}, { text: Second. }]`);
    const client = folder.connect();
    await client.initialize();
    const session = await client.session(folder.workspace);
    const first = client.prompt(session, "Go");
    await client.until(() => JSON.stringify(client.updates(session)).includes("begun"));
    const [cancelled, second] = await Promise.all([
      first,
      client.cancel(session).then(() => client.prompt(session, "Now this")),
    ]);
    expect(cancelled).toEqual({ stopReason: "cancelled" });
    expect(second).toEqual({ stopReason: "end_turn" });
    expect(folder.sent).toContain("Now this");
    expect(await client.end()).toBe(0);
    await folder.close();
  });

  test("a permission of the cancelled turn that is answered late does not cancel the next turn", async () => {
    const folder = await ScriptedFolder.open(`[${WRITE}, { text: Second. }]`);
    let answer = (): void => {};
    const cancelled = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const client = folder.connect({
      permission: async (request) => {
        await cancelled;
        return request.options.length === 0
          ? select(request, "allow_once")
          : { outcome: { outcome: "cancelled" } };
      },
    });
    await client.initialize();
    const session = await client.session(folder.workspace);
    const first = client.prompt(session, "Go");
    await client.until(() =>
      client.received.some(({ method }) => method === methods.client.session.requestPermission),
    );
    await client.cancel(session);
    const second = client.prompt(session, "Now this");
    answer();
    expect([await first, await second]).toEqual([{ stopReason: "cancelled" }, { stopReason: "end_turn" }]);
    expect(await client.end()).toBe(0);
    await folder.close();
  });

  test.for(["permission", "elicitation"] as const)(
    "the answer to a request for %s that crosses a cancel ends the turn as cancelled, and is not reported as an error",
    async (kind) => {
      const folder = await ScriptedFolder.open(kind === "permission" ? `[${WRITE}]` : `[${ASK}]`);
      const client = folder.connect({
        permission: async (request, sender) => {
          await sender.cancel(request.sessionId);
          return select(request, "allow_once");
        },
        elicitation: async (_request, sender) => {
          await sender.cancel(session);
          return { action: "accept", content: { text: "red" } };
        },
      });
      await client.initialize({ elicitation: { form: {} } });
      const session = await client.session(folder.workspace);
      expect(await client.prompt(session, "Go")).toEqual({ stopReason: "cancelled" });
      expect(await client.end()).toBe(0);
      expect(client.stderr).toBe("");
      await folder.close();
    },
  );

  test("a cancel directly after a prompt cancels it, also one that waits for its session to load", async () => {
    const folder = await ScriptedFolder.open("[{ text: One. }, { text: Two. }]");
    const first = folder.connect();
    await first.initialize();
    const session = await first.session(folder.workspace);
    await first.prompt(session, "Go");
    await first.end();
    const client = folder.connect();
    await client.initialize();
    const load = client.agent.request(agent.session.load, {
      sessionId: session,
      cwd: folder.workspace,
      mcpServers: [],
    });
    const prompt = client.prompt(session, "Again");
    await client.cancel(session);
    expect(await prompt).toEqual({ stopReason: "cancelled" });
    await load;
    const next = client.prompt(session, "And again");
    await client.cancel(session);
    expect(await next).toEqual({ stopReason: "cancelled" });
    expect(await client.end()).toBe(0);
    await folder.close();
  });

  test("a prompt and a close directly after session/load", async () => {
    const folder = await ScriptedFolder.open("[{ text: One. }, { text: Two. }, { text: Three. }]");
    const first = folder.connect();
    await first.initialize();
    const sessionId = await first.session(folder.workspace);
    await first.prompt(sessionId, "Go");
    await first.end();
    const client = folder.connect();
    await client.initialize();
    const place = { sessionId, cwd: folder.workspace, mcpServers: [] };
    const [, prompted] = await Promise.all([
      client.agent.request(agent.session.load, place),
      client.prompt(sessionId, "Again"),
    ]);
    expect(prompted).toEqual({ stopReason: "end_turn" });
    const [, , again] = await Promise.all([
      client.agent.request(agent.session.close, { sessionId }),
      client.agent.request(agent.session.resume, place),
      client.prompt(sessionId, "Once more"),
    ]);
    expect(again).toEqual({ stopReason: "end_turn" });
    expect(await client.end()).toBe(0);
    await folder.close();
  });

  test("a second prompt while one runs is an error, and the first one goes on", async () => {
    const folder = await ScriptedFolder.open(`[${run("echo be''gun; sleep 1")}, { text: Done. }]`);
    const client = folder.connect();
    await client.initialize();
    const session = await client.session(folder.workspace);
    const first = client.prompt(session, "Go");
    await expect(client.prompt(session, "This, too")).rejects.toThrow("a prompt of this session runs");
    expect(await first).toEqual({ stopReason: "end_turn" });
    expect(folder.sent).not.toContain("This, too");
    expect(await client.end()).toBe(0);
    await folder.close();
  });
});
