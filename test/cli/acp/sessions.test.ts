import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { ASK, READ, run, ScriptedFolder, WRITE } from "./scripted-agent.ts";

const { session: names, authenticate } = methods.agent;

describe.concurrent("a connection", () => {
  test("offers what the agent has, and says how to authenticate", async () => {
    const folder = await ScriptedFolder.open("[{ text: Done. }]");
    const client = folder.connect();
    expect(await client.initialize()).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "signalbox" },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, delete: {}, resume: {}, fork: {}, close: {} },
      },
      authMethods: [{ id: "api-key" }],
    });
    await client.agent.request(authenticate, { methodId: "api-key" });
    await expect(client.agent.request(authenticate, { methodId: "other" })).rejects.toMatchObject({
      code: -32602,
    });
    expect(await client.end()).toBe(0);
    await folder.close();
  });

  test("without a key requires authentication, and keeps running", async () => {
    const folder = await ScriptedFolder.open("[{ text: Done. }]");
    const client = folder.connect({}, []);
    await client.initialize();
    for (const request of [
      client.session(folder.workspace),
      client.agent.request(authenticate, { methodId: "api-key" }),
    ])
      await expect(request).rejects.toMatchObject({
        code: -32000,
        message: expect.stringContaining("no API key: set ANTHROPIC_API_KEY"),
      });
    expect(await client.end()).toBe(0);
    await folder.close();
  });
});

describe.concurrent("a recorded session", () => {
  test("is listed with its title, loaded with its whole history, resumed without it, and deleted", async () => {
    const folder = await ScriptedFolder.open(
      `[[{ thinking: Hm. }, { text: I look. }, ${READ}], ${WRITE}, ${run("echo out")}, ${ASK}, { text: Done. }, { text: More. }]`,
    );
    const cwd = folder.workspace;
    const first = folder.connect();
    await first.initialize();
    const sessionId = await first.session(cwd);
    await first.prompt(sessionId, "Paint the shed");
    await first.prompt(sessionId, " green");
    expect(await first.end()).toBe(0);

    const second = folder.connect();
    await second.initialize();
    const { sessions } = await second.agent.request(names.list, { cwd });
    expect(sessions).toMatchObject([{ sessionId, cwd, title: "Paint the shed" }]);
    const loaded = await second.agent.request(names.load, { sessionId, cwd, mcpServers: [] });
    expect(loaded.modes?.currentModeId).toBe("code");
    // All of it came before the response.
    expect(second.received.at(-1)).toMatchObject({ result: loaded });
    expect(second.text("user_message_chunk")).toBe("Paint the shed green");
    for (const kind of ["agent_message_chunk", "agent_thought_chunk"] as const)
      expect(second.text(kind)).toBe(first.text(kind));
    const calls = second.updates().filter(({ sessionUpdate }) => sessionUpdate === "tool_call");
    expect(calls).toMatchObject([
      { title: "Read a.txt", status: "completed" },
      { title: "Overwrite a.txt (+1 -1)", status: "completed", content: [{ type: "diff" }] },
      { title: "echo out", status: "completed", content: [{ content: { text: "out\n" } }] },
    ]);
    expect(await second.end()).toBe(0);

    const third = folder.connect();
    await third.initialize();
    await third.agent.request(names.resume, { sessionId, cwd });
    expect(third.text("user_message_chunk")).toBe("");
    expect(await third.prompt(sessionId, "And now?")).toEqual({ stopReason: "end_turn" });
    expect(third.text("agent_message_chunk")).toBe("More.");
    await third.agent.request(names.delete, { sessionId });
    expect(await third.agent.request(names.list, {})).toEqual({ sessions: [] });
    await expect(third.prompt(sessionId, "Go")).rejects.toMatchObject({ code: -32002 });
    expect(await third.end()).toBe(0);
    await folder.close();
  });

  test("is forked: both continue from there, with the same history", async () => {
    const folder = await ScriptedFolder.open("[{ text: One. }, { text: Two. }]");
    const client = folder.connect();
    await client.initialize();
    const sessionId = await client.session(folder.workspace);
    const fork = (from: string, cwd: string) =>
      client.agent.request<{ readonly sessionId: string }>("session/fork", {
        sessionId: from,
        cwd,
        mcpServers: [],
      });
    // It is on disk from its first prompt on.
    await expect(fork(sessionId, folder.workspace)).rejects.toMatchObject({ code: -32002 });
    await client.prompt(sessionId, "Paint the shed");
    await expect(fork(sessionId, "none")).rejects.toMatchObject({ code: -32602 });
    const forked = await fork(sessionId, folder.workspace);
    await client.prompt(sessionId, "green");
    await client.prompt(forked.sessionId, "blue");
    expect(client.text("agent_message_chunk", sessionId)).toBe("One.Two.");
    expect(client.text("agent_message_chunk", forked.sessionId)).toBe("Two.");
    const sent = JSON.stringify(folder.mock.requests.at(-1)?.body);
    expect(sent).toMatch(/Paint the shed.*One\..*blue/);
    expect(sent).not.toContain("green");
    const { sessions } = await client.agent.request(names.list, {});
    expect(sessions.map((each) => each.sessionId).toSorted()).toEqual(
      [sessionId, forked.sessionId].toSorted(),
    );
    expect(await client.end()).toBe(0);
    await folder.close();
  });

  test("is closed with its turn, which is answered with cancelled", async () => {
    const folder = await ScriptedFolder.open(
      `[${run("mkfifo gate; echo be''gun; cat gate")}, { text: Done. }]`,
    );
    const client = folder.connect();
    await client.initialize();
    const sessionId = await client.session(folder.workspace);
    const prompt = client.prompt(sessionId, "Go");
    await client.until(() => JSON.stringify(client.updates()).includes("begun"));
    await client.agent.request(names.close, { sessionId });
    expect(await prompt).toEqual({ stopReason: "cancelled" });
    await expect(client.prompt(sessionId, "Go")).rejects.toMatchObject({ code: -32002 });
    await client.agent.request(names.load, { sessionId, cwd: folder.workspace, mcpServers: [] });
    expect(await client.end()).toBe(0);
    await folder.close();
  });
});

describe.concurrent("a session", () => {
  test("has modes, a model and permissions to choose, also before its first prompt", async () => {
    const folder = await ScriptedFolder.open(`[${WRITE}, { text: Done. }]`);
    folder.writeSettings(
      `version: 1\nprofiles: { small: { provider: anthropic, model: claude-sonnet-4-6, endpoint: "${folder.mock.url}", keyVariable: TEST_KEY } }`,
    );
    const client = folder.connect();
    await client.initialize();
    const sessionId = await client.session(folder.workspace);
    const set = (configId: string, value: string) =>
      client.agent.request(names.setConfigOption, { sessionId, configId, value });
    const valuesOf = async (options: ReturnType<typeof set>) =>
      Object.fromEntries((await options).configOptions.map(({ id, currentValue }) => [id, currentValue]));
    await client.agent.request(names.setMode, { sessionId, modeId: "architect" });
    expect(client.updates()).toContainEqual({
      sessionUpdate: "current_mode_update",
      currentModeId: "architect",
    });
    expect(await valuesOf(set("model", "small"))).toEqual({
      mode: "architect",
      model: "small",
      permissions: "ask",
    });
    await set("mode", "code");
    expect(await valuesOf(set("permissions", "bypass"))).toMatchObject({
      mode: "code",
      permissions: "bypass",
    });
    expect(await client.prompt(sessionId, "Go")).toEqual({ stopReason: "end_turn" });
    expect(client.permissions).toEqual([]);
    for (const [id, value] of [
      ["mode", "none"],
      ["model", "none"],
      ["permissions", "none"],
      ["none", "code"],
    ] as const)
      await expect(set(id, value)).rejects.toMatchObject({ code: -32602 });
    expect(await client.end()).toBe(0);
    await folder.close();
  });

  test("offers the user's command files, and sends their prompts", async () => {
    const folder = await ScriptedFolder.open("[{ text: Done. }]");
    mkdirSync(path.join(folder.configDir, "signalbox/commands"), { recursive: true });
    writeFileSync(
      path.join(folder.configDir, "signalbox/commands/review.md"),
      "---\ndescription: Review a file\nargument-hint: FILE\nmode: ask\n---\nReview $ARGUMENTS with care.",
    );
    const client = folder.connect();
    await client.initialize();
    const sessionId = await client.session(folder.workspace);
    await client.prompt(sessionId, "/review a.txt");
    expect(client.updates()[0]).toEqual({
      sessionUpdate: "available_commands_update",
      availableCommands: [{ name: "review", description: "Review a file", input: { hint: "FILE" } }],
    });
    expect(folder.sent).toContain("Review a.txt with care.");
    expect(client.updates()).toContainEqual({ sessionUpdate: "current_mode_update", currentModeId: "ask" });
    expect(await client.end()).toBe(0);
    await folder.close();
  });
});
