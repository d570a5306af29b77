import { PassThrough, Readable, Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type { CreateTerminalRequest } from "@agentclientprotocol/sdk";
import { agent, ndJsonStream } from "@agentclientprotocol/sdk/unstable";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { ClientTerminals } from "../../../cli/acp/client-terminals.ts";
import { SessionClient } from "../../../cli/acp/session-client.ts";
import { stillClock } from "../../support/still-clock.ts";
import { AcpClient } from "./acp-client.ts";
import { run, ScriptedFolder } from "./scripted-agent.ts";
import { ProcessTerminals, type Terminals } from "./terminals.ts";

interface Opened {
  readonly folder: ScriptedFolder;
  readonly client: AcpClient;
  readonly sessionId: string;
  end(): Promise<void>;
}

/** A session whose client has terminals, on a script. */
async function opened(script: string, terminals: Terminals): Promise<Opened> {
  const folder = await ScriptedFolder.open(script);
  const client = folder.connect({ terminals });
  await client.initialize({ terminal: true });
  const sessionId = await client.session(folder.workspace);
  return {
    folder,
    client,
    sessionId,
    async end() {
      expect(await client.end()).toBe(0);
      await folder.close();
    },
  };
}

/** The methods of what the agent wrote about terminals, in order, with the update that shows one. */
const orderOf = (client: AcpClient): readonly string[] =>
  client.received.flatMap(({ method = "", params }) => {
    if (method.startsWith("terminal/")) return [method];
    return JSON.stringify(params ?? {}).includes('"type":"terminal"') ? ["shown"] : [];
  });

beforeAll(() => {
  vi.stubEnv("ACP_TEST_TOKEN", "secret text");
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const NEVER = () => new Promise<never>(() => {});
const never = (member: keyof Terminals): ProcessTerminals =>
  Object.assign(new ProcessTerminals(), { [member]: NEVER });

describe.concurrent("a command in a terminal of the client", () => {
  test("is shown there from its start, and the result has its output, exit code and folder", async () => {
    const terminals = new ProcessTerminals();
    const { folder, client, sessionId, end } = await opened(
      `[${run("pwd; echo two >&2; exit 3")}, { text: Done. }]`,
      terminals,
    );
    expect(await client.prompt(sessionId, "Go")).toEqual({ stopReason: "end_turn" });
    expect(folder.sent).toContain(`Exit code: 3\\nOutput:\\n${folder.workspace}\\ntwo\\n`);
    expect(terminals.created).toMatchObject([
      { command: "/bin/sh", args: ["-c", "pwd; echo two >&2; exit 3"], cwd: folder.workspace },
    ]);
    expect(client.updates()).toContainEqual(
      expect.objectContaining({
        sessionUpdate: "tool_call_update",
        content: [{ type: "terminal", terminalId: "terminal 1" }],
      }),
    );
    expect(orderOf(client)).toEqual([
      "terminal/create",
      expect.stringMatching(/shown|wait_for_exit/),
      expect.stringMatching(/shown|wait_for_exit/),
      "terminal/output",
      "terminal/release",
    ]);
    await end();
    expect([...terminals.open.keys()]).toEqual([]);
  });

  test("has no secret of the agent, and no more output than the limit", async () => {
    const { folder, client, sessionId, end } = await opened(
      `[${run('echo "token:$ACP_TEST_TOKEN:"; seq 40000')}, ${run('echo "token:$ACP_TEST_TOKEN:"')}, { text: Done. }]`,
      new ProcessTerminals(),
    );
    await client.prompt(sessionId, "Go");
    expect(folder.sent).toContain("the beginning of the output is not kept");
    expect(folder.sent).toContain("token::");
    expect(folder.sent).not.toContain("secret text");
    await end();
  });

  test("is killed at its timeout, and says so", async () => {
    const terminals = new ProcessTerminals();
    const { folder, client, sessionId, end } = await opened(
      '[{ tool: execute_command, input: { command: "echo begun; sleep 600", timeout: 0.2 } }, { text: Done. }]',
      terminals,
    );
    expect(await client.prompt(sessionId, "Go")).toEqual({ stopReason: "end_turn" });
    expect(folder.sent).toContain("It did not end within 0.2 seconds and was terminated");
    expect(orderOf(client)).toContain("terminal/kill");
    await end();
    expect([...terminals.open.keys()]).toEqual([]);
  });

  test("is killed by a cancel, before the prompt is answered", async () => {
    // It is killed once the last update of the turn is sent.
    class LateTerminals extends ProcessTerminals {
      override async kill(id: string): Promise<void> {
        await client.until(() => client.updates().at(-1)?.sessionUpdate === "session_info_update");
        await super.kill(id);
      }
    }
    const terminals = new LateTerminals();
    const { client, sessionId, end } = await opened(`[${run("sleep 600")}, { text: Done. }]`, terminals);
    const prompt = client.prompt(sessionId, "Go");
    await client.until(() => orderOf(client).includes("shown"));
    const [running] = terminals.open.values();
    await client.cancel(sessionId);
    expect(await prompt).toEqual({ stopReason: "cancelled" });
    expect(await running?.exit).toEqual({ exitCode: null, signal: "SIGKILL" });
    expect(orderOf(client).slice(-3)).toEqual(["terminal/kill", "terminal/output", "terminal/release"]);
    await end();
  });

  test("in the background is a process of the agent", async () => {
    const terminals = new ProcessTerminals();
    const { folder, client, sessionId, end } = await opened(
      "[{ tool: execute_command, input: { command: echo out, background: true } }, { text: Done. }]",
      terminals,
    );
    await client.prompt(sessionId, "Go");
    expect(terminals.created).toEqual([]);
    expect(folder.sent).toContain("execute_command");
    await end();
  });

  test("that the client does not run is an error of the call, and the turn goes on", async () => {
    const refusing = Object.assign(new ProcessTerminals(), {
      create: () => Promise.reject(new Error("no terminal")),
    });
    const { folder, client, sessionId, end } = await opened(
      `[${run("echo out")}, { text: Done. }]`,
      refusing,
    );
    expect(await client.prompt(sessionId, "Go")).toEqual({ stopReason: "end_turn" });
    expect(folder.sent).toContain("The editor did not run the command to its end");
    await end();
  });
});

/** A command on a still clock, in a terminal of a client. */
function started(terminals: Terminals, command: string, signal = new AbortController().signal) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const connection = agent({ name: "test" }).connect(
    ndJsonStream(Writable.toWeb(stdout), Readable.toWeb(stdin)),
  );
  const client = new AcpClient({ stdin, stdout, stderr: () => "", code: Promise.resolve(0) }, { terminals });
  const clock = stillClock();
  const options = { client: new SessionClient("s", connection, {}), clock, report: () => {} };
  const result = new ClientTerminals(options).run({
    ...{ taskId: "t", callId: "c", program: "/bin/sh", command, cwd: "/", withheldEnv: [], signal },
    timeoutMs: 60_000,
    output: () => {},
  });
  return { client, clock, result };
}

describe.concurrent("if the client never answers", () => {
  test.each(["create", "waitForExit", "kill"] as const)(
    "%s, a command ends soon after its timeout",
    async (member) => {
      const { client, clock, result } = started(never(member), "exec sleep 1");
      const isAsked = () =>
        orderOf(client).includes(member === "create" ? "terminal/create" : "terminal/wait_for_exit");
      await client.until(isAsked);
      clock.advance(60_000);
      if (member !== "create") await client.until(() => orderOf(client).includes("terminal/kill"));
      // The limit of the stop begins in the microtasks of the timeout.
      await setImmediate();
      clock.advance(4_000);
      expect(await result).toEqual({ output: expect.stringContaining("it may still run"), timedOut: true });
    },
  );

  test("output, a command has its exit code", async () => {
    const { client, clock, result } = started(never("output"), "exit 3");
    await client.until(() => orderOf(client).includes("terminal/output"));
    clock.advance(10_000);
    expect(await result).toEqual({
      exitCode: 3,
      output: expect.stringContaining("did not report the output"),
      timedOut: false,
    });
  });
});

test("a terminal that opens after its command was stopped is killed and released", async () => {
  const stopped = new AbortController();
  class LateTerminals extends ProcessTerminals {
    override async create(request: CreateTerminalRequest): Promise<string> {
      stopped.abort();
      return super.create(request);
    }
  }
  const terminals = new LateTerminals();
  const { client, result } = started(terminals, "sleep 600", stopped.signal);
  expect(await result).toEqual({ output: "", signal: "SIGKILL", timedOut: false });
  await client.until(() => orderOf(client).at(-1) === "terminal/release");
});
