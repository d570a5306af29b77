import { methods, type SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { describe, expect, test } from "vitest";
import { deferred } from "../../support/model.ts";
import { parallelScript } from "../../support/parallel-script.ts";
import { type AcpClient, type Answers, select } from "./acp-client.ts";
import { ASK, run, ScriptedFolder } from "./scripted-agent.ts";
import { nestedScript, statesOf, updatesAbout } from "./subagents.ts";
import { ProcessTerminals } from "./terminals.ts";

const { session: names } = methods.agent;

const MODES = ["architect", "debug"];
const write = (mode: string): string =>
  `{ tool: write_to_file, input: { path: ${mode}.md, content: "${mode}\\n" } }`;
const PARALLEL = parallelScript(MODES, { tool: "write_to_file", call: write });
/** Connect a client with sessions for subtasks. They need no permission to start and to complete. */
async function connected(
  script: string,
  answers: Answers = {},
  { capabilities = {}, settings = "version: 1\npermissions:\n  allow: [subtask]\n" } = {},
) {
  const folder = await ScriptedFolder.open(script);
  folder.writeSettings(settings);
  const client = folder.connect(answers);
  await client.initialize({ subagents: {}, ...capabilities });
  const session = await client.session(folder.workspace);
  const end = async (): Promise<void> => {
    expect(client.invalid).toEqual([]);
    expect(await client.end()).toBe(0);
    await folder.close();
  };
  return { folder, client, session, end };
}

const kindsOf = (updates: readonly SessionUpdate[]): ReadonlySet<string> =>
  new Set(updates.map(({ sessionUpdate }) => sessionUpdate));

/** The positions of the messages of the agent that name a session. */
const positionsOf = (client: AcpClient, session: string): readonly number[] =>
  client.received.flatMap((message, index) =>
    JSON.stringify(message).includes(JSON.stringify(session)) ? [index] : [],
  );

/** The calls of a session with their last status and result. */
function callsOf(client: AcpClient, session: string): readonly object[] {
  const calls = new Map<string, object>();
  for (const update of client.updates(session))
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") {
      const { sessionUpdate: _, ...fields } = update;
      calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...fields });
    }
  return [...calls.values()];
}

const IDLE = { state: "idle", stopReason: "end_turn" };
const CANCELLED = { state: "idle", stopReason: "cancelled" };

describe.concurrent("a client with sessions for subtasks", () => {
  test("has the updates and the permission requests of parallel subtasks in sessions of their own", async () => {
    const both = deferred<void>();
    const { client, session, end } = await connected(PARALLEL, {
      permission: async (request) => {
        if (client.permissions.length === 2) both.resolve();
        await both.promise;
        return select(request, request.sessionId.endsWith(".1") ? "allow_once" : "reject_once");
      },
    });
    expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
    const children = [`${session}.1`, `${session}.2`];
    expect(client.permissions.map(({ sessionId }) => sessionId).toSorted()).toEqual(children);
    for (const [index, child] of children.entries()) {
      const [first = -1] = positionsOf(client, child);
      expect(client.received[first]?.params).toEqual({
        sessionId: session,
        update: {
          sessionUpdate: "subagent_update",
          sessionId: child,
          description: `Work in ${MODES[index]}.`,
          capabilities: { cancel: {} },
          state: { state: "running" },
        },
      });
      expect(statesOf(client, child)).toEqual([
        { state: "running" },
        { state: "requires_action" },
        { state: "running" },
        IDLE,
      ]);
      expect(updatesAbout(client, child).at(-1)?.capabilities).toEqual({});
      const [prompt] = client.updates(child);
      expect(prompt).toMatchObject({
        sessionUpdate: "session_message",
        senderSessionId: session,
        recipientSessionId: child,
        content: [{ type: "text", text: `Work in ${MODES[index]}.` }],
      });
      expect(client.text("agent_message_chunk", child)).toContain(`I am ${MODES[index]}.`);
      const [call] = callsOf(client, child);
      const asked = client.permissions.find(({ sessionId }) => sessionId === child)?.toolCall;
      expect(call).toMatchObject({
        toolCallId: asked?.toolCallId,
        status: index === 0 ? "completed" : "failed",
      });
      expect(kindsOf(client.updates(child))).toContain("usage_update");
    }
    const results = callsOf(client, session);
    expect(results).toHaveLength(2);
    for (const [index, mode] of MODES.entries()) {
      expect(results[index]).toMatchObject({ status: "completed" });
      expect(JSON.stringify(results[index])).toContain(`Done in ${mode}.`);
    }
    await end();
  });

  test("has a subtask of a subtask on the session of that subtask", async () => {
    const { client, session, end } = await connected(nestedScript(write("a"), "write_to_file"));
    expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
    const [outer, inner] = [`${session}.1`, `${session}.1.1`];
    expect(updatesAbout(client, outer)[0]).toMatchObject({ title: "Finder", description: "Find it." });
    expect(updatesAbout(client, inner)[0]).toMatchObject({ description: "Look closer." });
    expect(client.received[positionsOf(client, inner)[0] ?? -1]?.params).toMatchObject({ sessionId: outer });
    expect(client.permissions.map(({ sessionId }) => sessionId)).toEqual([inner]);
    expect(client.text("agent_thought_chunk", inner)).toBe("Hm.");
    expect(client.text("agent_message_chunk", inner)).toContain("I look.");
    expect(statesOf(client, inner).at(-1)).toEqual(IDLE);
    expect(statesOf(client, outer)).toEqual([{ state: "running" }, IDLE]);
    expect(JSON.stringify(callsOf(client, outer))).toContain("Seen.");
    expect(JSON.stringify(callsOf(client, session))).toContain("Found.");
    await end();
  });

  test("answers the question of a subtask in its session", async () => {
    const questions: string[] = [];
    const { client, session, folder, end } = await connected(
      nestedScript(ASK, "ask_followup_question"),
      {
        elicitation: (request) => {
          questions.push("sessionId" in request ? String(request.sessionId) : "");
          return { action: "accept", content: { choice: "1" } };
        },
      },
      { capabilities: { elicitation: { form: {} } } },
    );
    expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
    expect(questions).toEqual([`${session}.1.1`]);
    expect(folder.sent).toContain("blue");
    expect(statesOf(client, `${session}.1.1`)).toContainEqual({ state: "requires_action" });
    await end();
  });

  test("runs the command of a subtask in a terminal of its session", async () => {
    const terminals = new ProcessTerminals();
    const { client, session, end } = await connected(
      nestedScript(run("echo out"), "execute_command"),
      { terminals },
      { capabilities: { terminal: true } },
    );
    expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
    expect(terminals.created.map(({ sessionId }) => sessionId)).toEqual([`${session}.1.1`]);
    expect(callsOf(client, `${session}.1.1`)).toMatchObject([
      { content: [{ type: "terminal" }], status: "completed" },
    ]);
    await end();
  });
});

const HANGS = run("mkfifo gate; echo be''gun; cat gate");

describe.concurrent("a cancel of the session of a subtask", () => {
  test("cancels that subtask only, and its task goes on", async () => {
    const { client, session, end } = await connected(
      parallelScript(MODES, {
        tool: "write_to_file",
        call: (mode) => (mode === "debug" ? HANGS : write(mode)),
      }),
    );
    const prompt = client.prompt(session, "Go");
    const [other, cancelled] = [`${session}.1`, `${session}.2`];
    await client.until(() => JSON.stringify(client.updates(cancelled)).includes("begun"));
    await client.cancel(cancelled);
    expect(await prompt).toEqual({ stopReason: "end_turn" });
    expect(statesOf(client, cancelled).at(-1)).toEqual(CANCELLED);
    expect(callsOf(client, cancelled)).toMatchObject([{ status: "failed" }]);
    expect(statesOf(client, other).at(-1)).toEqual(IDLE);
    expect(callsOf(client, session)).toMatchObject([{ status: "completed" }, { status: "failed" }]);
    await end();
  });

  test("cancels a subtask that asks whether it has completed", async () => {
    const { client, session, end } = await connected(
      nestedScript(write("a"), "write_to_file"),
      {
        permission: async (request) => {
          if (request.sessionId !== `${session}.1.1` || request.toolCall.kind === "edit")
            return select(request, "allow_once");
          await client.cancel(request.sessionId);
          return { outcome: { outcome: "cancelled" } };
        },
      },
      { settings: "version: 1\n" },
    );
    expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
    const inner = `${session}.1.1`;
    expect(statesOf(client, inner).slice(-2)).toEqual([{ state: "requires_action" }, CANCELLED]);
    expect(client.permissions.filter(({ sessionId }) => sessionId === inner)).toMatchObject([
      { toolCall: { kind: "edit" } },
      { toolCall: { content: [{ content: { text: expect.stringContaining("Accept the result?") } }] } },
    ]);
    expect(client.text("agent_message_chunk", inner)).toContain("Seen.");
    expect(statesOf(client, `${session}.1`).at(-1)).toEqual(IDLE);
    await end();
  });

  test("happens with the cancel of its task, before the prompt is answered", async () => {
    const { client, session, end } = await connected(nestedScript(HANGS, "execute_command"));
    const prompt = client.prompt(session, "Go");
    const inner = `${session}.1.1`;
    await client.until(() => JSON.stringify(client.updates(inner)).includes("begun"));
    await client.cancel(session);
    expect(await prompt).toEqual({ stopReason: "cancelled" });
    for (const child of [inner, `${session}.1`]) {
      expect(statesOf(client, child).at(-1)).toEqual(CANCELLED);
    }
    await end();
  });
});

test("other requests about the session of a subtask are invalid, while it works and after it", async () => {
  const { client, session, folder, end } = await connected(nestedScript(HANGS, "execute_command"));
  const prompt = client.prompt(session, "Go");
  const sessionId = `${session}.1.1`;
  await client.until(() => JSON.stringify(client.updates(sessionId)).includes("begun"));
  const { agent } = client;
  const place = { sessionId, cwd: folder.workspace, mcpServers: [] };
  const refused = async (): Promise<void> => {
    for (const request of [
      client.prompt(sessionId, "More"),
      agent.request(names.load, place),
      agent.request(names.resume, place),
      agent.request(names.fork, place),
      agent.request(names.close, { sessionId }),
      agent.request(names.delete, { sessionId }),
      agent.request(names.setMode, { sessionId, modeId: "code" }),
      agent.request(names.setConfigOption, { sessionId, configId: "mode", value: "code" }),
    ])
      await expect(request).rejects.toMatchObject({
        code: -32600,
        message: expect.stringContaining("of a subtask"),
      });
  };
  await refused();
  expect(statesOf(client, sessionId).at(-1)).toEqual({ state: "running" });
  await client.cancel(session);
  expect(await prompt).toEqual({ stopReason: "cancelled" });
  await refused();
  const { sessions } = await agent.request(names.list, {});
  expect(sessions.map(({ sessionId: id }) => id)).toEqual([session]);
  await end();
});

describe.concurrent("a recorded session with subtasks", () => {
  /** The messages of the agent about sessions, without what depends on their chunks. */
  const order = (client: AcpClient): readonly string[] => [
    ...new Set(
      client.notifications.flatMap(({ sessionId, update }) => {
        switch (update.sessionUpdate) {
          case "subagent_update":
            return `${sessionId}: ${update.sessionId} ${update.state?.state === "idle" ? "ends" : "works"}`;
          case "tool_call":
            return `${sessionId}: ${update.title}`;
          case "agent_message_chunk":
          case "agent_thought_chunk":
          case "session_message":
            return `${sessionId}: ${update.sessionUpdate}`;
          default:
            return [];
        }
      }),
    ),
  ];

  test("is loaded with the history of its subtasks in the same order", async () => {
    const { client, session, folder } = await connected(nestedScript(write("a"), "write_to_file"));
    await client.prompt(session, "Go");
    expect(await client.end()).toBe(0);
    const other = folder.connect();
    await other.initialize({ subagents: {} });
    const load = { sessionId: session, cwd: folder.workspace, mcpServers: [] };
    await other.agent.request(names.load, load);
    const [outer, inner] = [`${session}.1`, `${session}.1.1`];
    expect(order(other)).toEqual(order(client));
    expect(updatesAbout(other, outer)).toEqual([
      {
        sessionUpdate: "subagent_update",
        sessionId: outer,
        title: "Finder",
        description: "Find it.",
        capabilities: {},
      },
      { sessionUpdate: "subagent_update", sessionId: outer, state: IDLE },
    ]);
    for (const each of [session, outer, inner]) expect(callsOf(other, each)).toEqual(callsOf(client, each));
    expect(other.text("user_message_chunk")).toBe("Go");
    expect(await other.end()).toBe(0);
    const plain = folder.connect();
    await plain.initialize();
    await plain.agent.request(names.load, load);
    expect(kindsOf(plain.updates())).not.toContain("subagent_update");
    expect(kindsOf(plain.updates())).not.toContain("session_message");
    expect(new Set(plain.notifications.map(({ sessionId }) => sessionId))).toEqual(new Set([session]));
    expect(await plain.end()).toBe(0);
    await folder.close();
  });
});

test("a client without sessions for subtasks has their calls in the session, with the ids of the subtasks", async () => {
  const folder = await ScriptedFolder.open(PARALLEL);
  folder.writeSettings("version: 1\npermissions:\n  allow: [subtask]\n");
  const client = folder.connect();
  await client.initialize();
  const session = await client.session(folder.workspace);
  expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
  expect(new Set(client.notifications.map(({ sessionId }) => sessionId))).toEqual(new Set([session]));
  expect(client.permissions.map(({ sessionId }) => sessionId)).toEqual([session, session]);
  expect(kindsOf(client.updates())).not.toContain("subagent_update");
  expect(client.text("agent_message_chunk")).not.toContain("I am");
  const ids = callsOf(client, session).map((call) => ("toolCallId" in call ? String(call.toolCallId) : ""));
  expect(ids.filter((id) => id.startsWith(`${session}.1/`))).toHaveLength(1);
  expect(ids.filter((id) => id.startsWith(`${session}.2/`))).toHaveLength(1);
  expect(client.invalid).toEqual([]);
  expect(await client.end()).toBe(0);
  await folder.close();
});
