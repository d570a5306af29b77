import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { filter, firstValueFrom } from "rxjs";
import { anthropic } from "../../adapters/index.ts";
import { main } from "../../cli/main.ts";
import { connect, connectTask, REMOTE_ARGUMENTS } from "../../client/index.ts";
import { clientSource, localSource, serverSource } from "../../client/react/index.ts";
import { isAtRest } from "../../machines/message/states.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import type { Task } from "../../runtime/task/task.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { createServer, fileJournals } from "../../server/index.ts";
import { allowEverything } from "../../tools/index.ts";
import { AcpClient, inThisProcess } from "../cli/acp/acp-client.ts";
import { FakeTerminal } from "../cli/terminal/fake-terminal.ts";
import { KEY, MODEL, ROOT, type Scenario, SUBTASKS } from "./scenario.ts";

/** A task that an interface has started, with a subtask at work. */
export interface Driven {
  /** Cancel by what a user of the interface does. Resolves when the tree is at rest. */
  cancel(): Promise<void>;
  /** Cancel the subtask by its id. Absent: the interface has no ids. */
  cancelSubtask?(): Promise<void>;
  /** Continue the task at rest with this text. Resolves when it is at rest again. */
  resume(text: string): Promise<void>;
  /** End what was opened, without another change. */
  close(): Promise<void>;
}

type Open = (scenario: Scenario) => Promise<Driven>;

/** Each interface, by the name that docs/concepts/interfaces.md has for it. */
export const INTERFACES: Readonly<Record<string, Open>> = {
  Task: (scenario) =>
    inHost(scenario, ({ task, host }) => ({
      cancel: () => task.cancel(),
      cancelSubtask: () => host.tasks.get(`${ROOT}.1`)?.cancel(),
      resume: (text) => task.run(text),
    })),
  ExtensionClient: (scenario) =>
    inHost(scenario, ({ task, host }) => {
      const { client } = connectTask(task, { host });
      return {
        cancel: () => client.cancelTask(),
        cancelSubtask: () => client.cancelTask(`${ROOT}.1`),
        resume: (text) => client.respond(text),
      };
    }),
  "useTask, localSource": (scenario) =>
    inHost(scenario, ({ task, host }) => {
      const source = localSource(task);
      return {
        cancel: () => source.cancel(),
        cancelSubtask: () => {
          const subtask = host.tasks.get(`${ROOT}.1`);
          return subtask && localSource(subtask).cancel();
        },
        resume: (text) => source.send(text),
      };
    }),
  "useTask, clientSource": (scenario) =>
    inHost(scenario, ({ task, host }) => {
      const source = clientSource(connectTask(task, { host }).client);
      return { cancel: () => source.cancel(), resume: (text) => source.send(text) };
    }),
  "useTask, serverSource": (scenario) =>
    inHost(scenario, async ({ host }) => {
      const server = await servedBy(host, scenario);
      const source = (taskId: string) => serverSource({ baseUrl: `${server.url}/`, taskId });
      return {
        cancel: () => server.asBrowser(() => source(ROOT).cancel()),
        cancelSubtask: () => server.asBrowser(() => source(`${ROOT}.1`).cancel()),
        resume: (text) => server.asBrowser(() => source(ROOT).send(text)),
        close: () => server.close(),
      };
    }),
  HTTP: (scenario) =>
    inHost(scenario, async ({ host }) => {
      const server = await servedBy(host, scenario);
      return {
        cancel: () => server.post(`/api/tasks/${ROOT}/cancel`, {}),
        cancelSubtask: () => server.post(`/api/tasks/${ROOT}.1/cancel`, {}),
        resume: (text) => server.post(`/api/tasks/${ROOT}/words`, { text, images: [] }),
        close: () => server.close(),
      };
    }),
  NDJSON: async (scenario) => {
    const run = new Command(["--stdin-prompt-stream", ...STREAM, "-y"], scenario);
    const send = (command: string, fields: object = {}): void =>
      run.send(JSON.stringify({ command, requestId: command, ...fields }));
    send("start", { prompt: "Go" });
    await run.shows(SUBTASKS[scenario.work].shown);
    return {
      async cancel() {
        send("cancel");
        // A root that was not reached completes without its subtask.
        await run.line((line) => isRootsResume(line) || line.includes('"type":"result"'));
      },
      async resume(text) {
        const { askId } = JSON.parse(await run.line(isRootsResume));
        send("message", { prompt: text, askId });
        await run.shows('"type":"result"');
      },
      close: () => run.end(),
    };
  },
  "connect(process)": async (scenario) => {
    const run = new Command([...REMOTE_ARGUMENTS, "-y"], scenario, []);
    const task = connect(run.process);
    const end = task.run("Go");
    await run.shows(SUBTASKS[scenario.work].shown);
    return {
      async cancel() {
        task.cancel();
        await end;
      },
      async resume(text) {
        await task.run(text);
      },
      close: async () => {
        await task.close();
        await run.code;
      },
    };
  },
  ACP: async ({ args, env, workspace, work }) => {
    const folders = args.slice(2);
    const client = new AcpClient(inThisProcess([...folders, "-y"], env), {
      // The person has not answered yet.
      elicitation: () => new Promise(() => {}),
    });
    await client.initialize({ elicitation: { form: {} } });
    const session = await client.session(workspace);
    const prompt = client.prompt(session, "Go");
    await client.until(() => JSON.stringify(client.received).includes(SUBTASKS[work].shown));
    return {
      async cancel() {
        await client.cancel(session);
        await prompt;
      },
      async resume(text) {
        await client.prompt(session, text);
      },
      close: async () => {
        await client.end();
      },
    };
  },
  terminal: async (scenario) => {
    const terminal = new FakeTerminal({ columns: 120, env: scenario.env });
    const args = [...scenario.args, "-y", "Go"];
    const code = main(["run", ...args], terminal.io);
    await terminal.shows(SUBTASKS[scenario.work].shown);
    return {
      async cancel() {
        await terminal.type("\u001b");
        // A root that was not reached completes without its subtask.
        await terminal.sees((rows) => rows.some((row) => /Enter to resume|Type what is missing/.test(row)));
      },
      async resume(text) {
        await terminal.type(`${text}\r`);
        await terminal.shows("Type what is missing");
      },
      async close() {
        await terminal.type("\u0003");
        await code;
      },
    };
  },
};

interface InHost {
  readonly host: Host;
  readonly task: Task;
}

interface Actions {
  cancel(): unknown;
  cancelSubtask?(): unknown;
  resume(text: string): unknown;
  close?(): Promise<void>;
}

/** A task of this process, on which an interface acts. */
async function inHost(
  { dataDir, workspace, mock, work }: Scenario,
  actionsOn: (parts: InHost) => Actions | Promise<Actions>,
): Promise<Driven> {
  const host = createHost({ dataDir });
  const task = await host.create({
    id: ROOT,
    model: anthropic({ model: MODEL, apiKey: KEY, baseURL: mock.url }),
    workspace,
    permissions: { judge: allowEverything() },
  });
  const actions = await actionsOn({ host, task });
  const { shown } = SUBTASKS[work];
  const working = firstValueFrom(host.opened$.pipe(filter(({ parent }) => parent?.taskId === ROOT))).then(
    (subtask) => firstValueFrom(subtask.messages$.pipe(filter(({ text }) => text?.includes(shown) === true))),
  );
  task.run("Go").catch(() => undefined);
  await working;
  await task.flushed();
  /** Act, which stops these tasks at once, and wait until the root is at rest. */
  const settles = async (act: () => unknown, ...stopped: readonly string[]): Promise<void> => {
    const end = task.settled();
    const result = await act();
    if (typeof result === "object" && result !== null && "code" in result)
      throw new Error(JSON.stringify(result));
    for (const id of stopped) {
      const reached = host.tasks.get(id);
      await reached?.flushed();
      assert.ok(isAtRest(reached?.state.state ?? "idle"), `the cancel did not reach ${id}`);
    }
    await end;
    await task.flushed();
  };
  const { cancelSubtask } = actions;
  return {
    cancel: () => settles(actions.cancel, ROOT, `${ROOT}.1`),
    ...(cancelSubtask !== undefined && { cancelSubtask: () => settles(cancelSubtask, `${ROOT}.1`) }),
    resume: (text) => settles(() => void actions.resume(text)),
    async close() {
      await actions.close?.();
      await host.closeAll();
    },
  };
}

async function servedBy(host: Host, { dataDir, workspace, mock }: Scenario) {
  const server = await createServer({
    host,
    history: openHistory({ dataDir }),
    journal: fileJournals(dataDir),
    task: { model: anthropic({ model: MODEL, apiKey: KEY, baseURL: mock.url }) },
    workspace,
    page: workspace,
  });
  const withToken: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${server.token}`);
    return plainFetch(url, { ...init, headers });
  };
  const plainFetch = globalThis.fetch;
  return {
    url: server.url,
    post: async (where: string, json: unknown): Promise<void> => {
      const response = await withToken(`${server.url}${where}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(json),
      });
      if (!response.ok) throw new Error(await response.text());
    },
    /** Do `act` as a page that has the session of the server: Node keeps no cookies. */
    async asBrowser<T>(act: () => Promise<T>): Promise<T> {
      globalThis.fetch = withToken;
      try {
        return await act();
      } finally {
        globalThis.fetch = plainFetch;
      }
    },
    close: () => server.close(),
  };
}

/** An event of a subtask has its id. */
const isRootsResume = (line: string): boolean =>
  line.includes('"subtype":"resume_task"') && !line.includes('"taskId"');

const STREAM = ["--print", "--output-format", "stream-json"];

/** `signalbox run` in this process. */
class Command {
  readonly code: Promise<number>;
  readonly process: EventEmitter & { readonly stdin: PassThrough; readonly stdout: PassThrough };
  #written = "";
  #ended: string | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(args: readonly string[], scenario: Scenario, command: readonly string[] = ["run"]) {
    const pipes = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
    this.process = Object.assign(new EventEmitter(), pipes);
    pipes.stdout.on("data", (chunk) => {
      this.#written += String(chunk);
      for (const listener of [...this.#listeners]) listener();
    });
    const io = Object.assign(new EventEmitter(), { ...pipes, env: scenario.env });
    let errors = "";
    pipes.stderr.on("data", (chunk) => {
      errors += String(chunk);
    });
    this.code = main([...command, ...args, ...scenario.args], io).finally(() => {
      this.#ended = `It has ended: ${errors}`;
      for (const listener of [...this.#listeners]) listener();
      pipes.stdout.end();
      this.process.emit("close", 0, null);
    });
  }

  send(text: string): void {
    this.process.stdin.write(`${text}\n`);
  }

  /** The first line like this, once it is written. */
  async line(fits: (line: string) => boolean): Promise<string> {
    const find = (): string | undefined => this.#written.split("\n").slice(0, -1).find(fits);
    await this.#until(() => find() !== undefined);
    return find() ?? "";
  }

  shows(text: string): Promise<void> {
    return this.#until(() => this.#written.includes(text));
  }

  async #until(isReached: () => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (!isReached() && this.#ended === undefined) return;
        this.#listeners.delete(look);
        if (isReached()) resolve();
        else reject(new Error(this.#ended));
      };
      this.#listeners.add(look);
      look();
    });
  }

  async end(): Promise<void> {
    this.process.stdin.end();
    await this.code;
  }
}
