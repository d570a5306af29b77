import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type ContentBlock, methods, type RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { type AcpClient, type Answers, select } from "./acp-client.ts";
import { ASK, READ, run, ScriptedFolder, WRITE } from "./scripted-agent.ts";

const KEY = ["--api-key", "sk-test-0123456789"];
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

interface Prompted {
  readonly folder: ScriptedFolder;
  readonly client: AcpClient;
  readonly session: string;
  readonly content: () => string;
  end(): Promise<void>;
}

/** A session on a script. */
async function prompted(
  script: string,
  answers: Answers = {},
  { args = [], capabilities = {} }: { args?: readonly string[]; capabilities?: object } = {},
): Promise<Prompted> {
  const folder = await ScriptedFolder.open(script);
  const client = folder.connect(answers, [...KEY, ...args]);
  await client.initialize(capabilities);
  const session = await client.session(folder.workspace);
  return {
    folder,
    client,
    session,
    content: () => readFileSync(path.join(folder.workspace, "a.txt"), "utf8"),
    async end() {
      expect(await client.end()).toBe(0);
      await folder.close();
    },
  };
}

/** The calls of a client, each as it is at the end. */
function callsOf(client: AcpClient) {
  const calls = new Map<string, Record<string, unknown>>();
  for (const update of client.updates())
    if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update")
      calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...update });
  return [...calls.values()];
}

describe.concurrent("a turn", () => {
  test("streams thoughts, text and calls with kind, place, diff, output and status", async () => {
    const { client, session, folder, content, end } = await prompted(
      `[[{ thinking: Hm. }, { text: I look. }, ${READ}], ${WRITE}, ${run("echo out; exit 3")}, { text: Done. }]`,
    );
    expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
    expect(content()).toBe("two\n");
    expect(client.text("agent_thought_chunk")).toBe("Hm.");
    expect(client.text("agent_message_chunk")).toBe("I look.Done.");
    const file = path.join(folder.workspace, "a.txt");
    expect(callsOf(client)).toMatchObject([
      { title: "Read a.txt", kind: "read", status: "completed", locations: [{ path: file }] },
      {
        title: "Overwrite a.txt (+1 -1)",
        kind: "edit",
        status: "completed",
        content: [{ type: "diff", path: file, oldText: "one\n", newText: "two\n" }],
        locations: [{ path: file, line: 1 }],
      },
      {
        title: "echo out; exit 3",
        kind: "execute",
        status: "completed",
        content: [{ content: { text: "out\n[exit code 3]" } }],
      },
    ]);
    expect(client.updates()).toContainEqual(
      expect.objectContaining({ sessionUpdate: "usage_update", size: 1_000_000, used: expect.any(Number) }),
    );
    expect(client.updates()).toContainEqual(
      expect.objectContaining({ sessionUpdate: "session_info_update", title: "Go" }),
    );
    await end();
  });

  test("has the todo list as its plan", async () => {
    const { client, session, end } = await prompted(
      `[{ tool: update_todo_list, input: { todos: "[x] look\\n[-] write\\n[ ] test" } }, { text: Done. }]`,
    );
    await client.prompt(session, "Go");
    expect(client.updates().filter(({ sessionUpdate }) => sessionUpdate === "plan")).toEqual([
      {
        sessionUpdate: "plan",
        entries: [
          { content: "look", priority: "medium", status: "completed" },
          { content: "write", priority: "medium", status: "in_progress" },
          { content: "test", priority: "medium", status: "pending" },
        ],
      },
    ]);
    await end();
  });

  test("stops at the limit of requests, and the next prompt continues beyond it", async () => {
    const script = `[${READ}, ${READ}, { text: Done. }]`;
    const folder = await ScriptedFolder.open(script);
    const settings = path.join(folder.configDir, "signalbox/settings.yaml");
    folder.writeSettings("version: 1\nlimits: { requests: 1 }");
    expect(existsSync(settings)).toBe(true);
    const client = folder.connect();
    await client.initialize();
    const session = await client.session(folder.workspace);
    expect(await client.prompt(session, "Go")).toEqual({ stopReason: "max_turn_requests" });
    expect(client.text("agent_message_chunk")).toContain("The task stops at its limit: 1 request");
    expect(await client.prompt(session, "Go on, please")).toEqual({ stopReason: "max_turn_requests" });
    expect(folder.sent).toContain("Go on, please");
    expect(await client.prompt(session, "Again")).toEqual({ stopReason: "end_turn" });
    expect(await client.end()).toBe(0);
    await folder.close();
  });

  test("whose prompt an open question does not take is an error with its code, and the question stays", async () => {
    const { client, session, folder, end } = await prompted(`[${ASK}, { text: Done. }]`);
    expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
    await expect(client.prompt(session, "x".repeat(1_000_001))).rejects.toMatchObject({
      code: -32600,
      data: { code: "ANSWER_REFUSED" },
    });
    expect(folder.mock.requests).toHaveLength(1);
    expect(await client.prompt(session, "blue")).toEqual({ stopReason: "end_turn" });
    expect(folder.sent).toContain("blue");
    await end();
  });

  test("of a failed request is answered with its error, and the next prompt tries again", async () => {
    const { client, session, folder, end } = await prompted(
      "[{ status: 400, body: { type: error, error: { type: invalid_request_error, message: No such thing. } } }, { text: Done. }]",
    );
    await expect(client.prompt(session, "Go")).rejects.toThrow("No such thing.");
    expect(folder.mock.requests).toHaveLength(1);
    await expect(client.prompt(session, "Try again")).rejects.toThrow("No such thing.");
    expect(folder.sent).toContain("Try again");
    await end();
  });
});

describe.concurrent("a permission", () => {
  const asks = (kinds: readonly RequestPermissionRequest["options"][number]["kind"][]): Answers => {
    const left = [...kinds];
    return { permission: (request) => select(request, left.shift() ?? "reject_once") };
  };

  test("once is for one call, and always adds a rule to the session", async () => {
    const command = run("git --version");
    const { client, session, end } = await prompted(
      `[${command}, ${command}, ${command}, { text: Done. }]`,
      asks(["allow_once", "allow_always"]),
    );
    await client.prompt(session, "Go");
    expect(client.permissions).toHaveLength(2);
    expect(client.permissions[0]).toMatchObject({
      toolCall: { title: "git --version", kind: "execute", rawInput: { command: "git --version" } },
    });
    expect(callsOf(client).map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    await end();
  });

  test("that is rejected leaves the file, and always denies the call from then on", async () => {
    const { client, session, content, end } = await prompted(
      `[${WRITE}, ${WRITE}, ${WRITE}, { text: Done. }]`,
      asks(["reject_once", "reject_always"]),
    );
    expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
    expect(client.permissions).toHaveLength(2);
    expect(callsOf(client).map(({ status }) => status)).toEqual(["failed", "failed", "failed"]);
    expect(content()).toBe("one\n");
    await end();
  });

  test("that is cancelled cancels the turn", async () => {
    const { client, session, content, end } = await prompted(`[${WRITE}, { text: Done. }]`, {
      permission: () => ({ outcome: { outcome: "cancelled" } }),
    });
    expect(await client.prompt(session, "Go")).toEqual({ stopReason: "cancelled" });
    expect(content()).toBe("one\n");
    await end();
  });

  test("that the client can't ask for is a rejection", async () => {
    const { client, session, content, end } = await prompted(`[${WRITE}, { text: Done. }]`, {
      permission: () => Promise.reject(new Error("no window")),
    });
    expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
    expect(content()).toBe("one\n");
    await end();
  });

  test("with --require-approval offers no rules", async () => {
    const { client, session, end } = await prompted(`[${READ}, { text: Done. }]`, {}, { args: ["-a"] });
    await client.prompt(session, "Go");
    expect(client.permissions[0]?.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"]);
    await end();
  });
});

describe.concurrent("a question of the model", () => {
  test("ends the turn as text, and the next prompt answers it", async () => {
    const { client, session, folder, end } = await prompted(`[${ASK}, { text: Done. }]`);
    expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
    expect(client.text("agent_message_chunk")).toBe("Which?\n- red\n- blue");
    expect(await client.prompt(session, "green")).toEqual({ stopReason: "end_turn" });
    expect(folder.sent).toContain("green");
    expect(client.text("agent_message_chunk")).toContain("Done.");
    await end();
  });

  const FORMS = { capabilities: { elicitation: { form: {} } } };
  test.each([
    [{ action: "accept", content: { choice: "1" } }, "blue"],
    [{ action: "accept", content: { choice: "0", text: "green" } }, "green"],
  ])("is a form where the client offers it: %j", async (response, answer) => {
    const { client, session, folder, end } = await prompted(
      `[${ASK}, { text: Done. }]`,
      { elicitation: () => response },
      FORMS,
    );
    expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
    expect(folder.sent).toContain(answer);
    expect(folder.mock.requests).toHaveLength(2);
    await end();
  });

  test("whose form is declined waits for the next prompt", async () => {
    const { client, session, folder, end } = await prompted(`[${ASK}, { text: Done. }]`, {}, FORMS);
    expect(await client.prompt(session, "Go")).toEqual({ stopReason: "end_turn" });
    expect(folder.mock.requests).toHaveLength(1);
    expect(await client.prompt(session, "green")).toEqual({ stopReason: "end_turn" });
    expect(folder.sent).toContain("green");
    await end();
  });
});

describe.concurrent("the blocks of a prompt", () => {
  const send = async (blocks: ContentBlock[]): Promise<string> => {
    const { client, session, folder, end } = await prompted("[{ text: Done. }]");
    await client.agent.request(methods.agent.session.prompt, { sessionId: session, prompt: blocks });
    await end();
    return folder.sent;
  };

  test("send images, embedded texts, and linked files of the workspace", async () => {
    const folder = await ScriptedFolder.open("[{ text: Done. }]");
    const client = folder.connect();
    await client.initialize();
    const sessionId = await client.session(folder.workspace);
    writeFileSync(path.join(folder.workspace, "my notes.txt"), "remember the milk\n");
    const uri = pathToFileURL(path.join(folder.workspace, "my notes.txt")).href;
    await client.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: "Look at " },
        { type: "resource_link", name: "notes", uri: `${uri}#L1:2` },
        { type: "image", mimeType: "image/png", data: PIXEL },
        { type: "resource", resource: { uri: "file:///b.txt", text: "embedded </resource> text" } },
      ],
    });
    expect(folder.sent).toContain(String.raw`Look at @\"my notes.txt\" (L1:2)`);
    expect(folder.sent).toContain("remember the milk");
    expect(folder.sent).toContain(PIXEL);
    expect(folder.sent).toContain("embedded <\\\\/resource> text");
    expect(await client.end()).toBe(0);
    await folder.close();
  });

  test("name a link to anything else with its address", async () => {
    expect(await send([{ type: "resource_link", name: "page", uri: "https://example.com/a" }])).toContain(
      "[page](https://example.com/a)",
    );
    expect(await send([{ type: "resource_link", name: "x", uri: "file:///etc/hostname" }])).toContain(
      "[x](file:///etc/hostname)",
    );
  });

  test("are rejected where they are empty or not offered", async () => {
    await expect(send([])).rejects.toThrow("the prompt is empty");
    await expect(send([{ type: "audio", mimeType: "audio/wav", data: "" }])).rejects.toThrow("audio");
    await expect(send([{ type: "image", mimeType: "image/tiff", data: PIXEL }])).rejects.toThrow("data URL");
  });
});

test("a file is read as the client has it, and written by the client", async () => {
  const written: string[] = [];
  const { client, session, folder, end } = await prompted(
    `[${READ}, ${WRITE}, { text: Done. }]`,
    {
      readFile: () => "unsaved\n",
      writeFile: (file, content) => {
        written.push(file);
        writeFileSync(file, content);
      },
    },
    { capabilities: { fs: { readTextFile: true, writeTextFile: true } } },
  );
  await client.prompt(session, "Go");
  expect(folder.sent).toContain("1 | unsaved");
  expect(written).toEqual([path.join(folder.workspace, "a.txt")]);
  await end();
});
