import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TaskInfo, taskInfoSchema, taskListSchema } from "../../wire/http/api.ts";
import { type Built, build } from "../cli/built.ts";
import { Process, temporaryFolder } from "../cli/process.ts";
import { PostgresRig } from "../store/postgres/rig.ts";

const COMMAND = '{ tool: execute_command, input: { command: "echo one >> effects.txt" } }';
const DONE = "{ tool: attempt_completion, input: { result: Done. } }";
/** Each command must be approved by a person. */
const SCRIPT = `
rules:
  - when: { conversation: Stream, tool: execute_command }
    turns: [${DONE}]
  - when: { conversation: Stream }
    turns:
      - blocks: [{ text: { repeat: "word ", times: 150 }, chunk: 5, delayMs: 20 }, ${COMMAND}]
  - turns: [${COMMAND}, ${DONE}, ${COMMAND}]
`;

describe("servers and workers of one database", () => {
  const folder = temporaryFolder();
  const workspace = path.join(folder.path, "work");
  const script = path.join(folder.path, "script.yaml");
  const processes: Process[] = [];
  let built: Built;
  let rig: PostgresRig;
  let one: Server;
  let two: Server;
  beforeAll(async () => {
    mkdirSync(workspace);
    writeFileSync(script, SCRIPT);
    [built, rig] = await Promise.all([build(), PostgresRig.start()]);
    [one, two] = await Promise.all([startServer(), startServer()]);
    await Promise.all([startWorker(), startWorker()]);
  });
  afterAll(async () => {
    for (const process of processes) process.child.kill("SIGKILL");
    await Promise.all(processes.map(({ code }) => code));
    await rig.remove();
    folder.remove();
  });

  function command(name: string, ...args: readonly string[]): Process {
    const own = mkdtempSync(path.join(folder.path, "data-"));
    const process = new Process(
      built.bin,
      [
        name,
        "--database",
        "--data-dir",
        own,
        "--provider",
        "mock",
        "--script",
        script,
        "-w",
        workspace,
        ...args,
      ],
      { env: { SIGNALBOX_DATABASE: rig.cluster.url() } },
    );
    processes.push(process);
    return process;
  }

  async function startWorker(...args: readonly string[]): Promise<Process> {
    const worker = command("worker", "--lease", "6", "--idle", "1", ...args);
    await worker.said("Working on tasks of");
    return worker;
  }

  async function startServer(): Promise<Server> {
    const process = command("serve", "--workers", "--port", "0");
    await process.said("#token=");
    return new Server(process);
  }

  /** The process of the worker that owns the task. */
  async function ownerOf(id: string): Promise<Process> {
    const { rows } = await rig.admin.query<{ pid: number }>(
      "SELECT (w.description->>'pid')::int AS pid FROM signalbox.task t JOIN signalbox.worker w ON w.id = t.owner WHERE t.id = $1",
      [id],
    );
    const owner = processes.find(({ child }) => child.pid === rows[0]?.pid);
    if (owner === undefined) throw new Error(`No worker owns ${id}.`);
    return owner;
  }

  async function kill(process: Process): Promise<void> {
    process.child.kill("SIGKILL");
    await process.code;
  }

  /** Resolves when no worker owns the task. */
  async function released(id: string): Promise<void> {
    await expect
      .poll(async () => (await rig.admin.query("SELECT owner FROM signalbox.task WHERE id = $1", [id])).rows)
      .toEqual([{ owner: null }]);
  }

  const effects = (): string => {
    const file = path.join(workspace, "effects.txt");
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  };

  test("a task is started, answered, continued and cancelled through any server", async () => {
    const { id } = await one.create("Ask");
    const { asks } = await two.until(id, asksForCommand);
    expect(await two.post(`/api/tasks/${id}/asks/${asks.at(-1)?.askId}/answer`, { kind: "yes" })).toBe(204);
    await one.until(id, ({ state }) => state === "idle");
    expect(effects()).toBe("one\n");
    // At rest and owned by nobody.
    await released(id);
    expect(await two.post(`/api/tasks/${id}/words`, { text: "Once more" })).toBe(200);
    await one.until(id, asksForCommand);
    expect(await one.post(`/api/tasks/${id}/cancel`, {})).toBe(200);
    expect(await two.get(id)).toMatchObject({ state: "resumable", isCancelled: true });
    expect(effects()).toBe("one\n");
    expect(await one.post(`/api/tasks/${id}/pause`, {})).toBe(409);
    expect(await one.post("/api/tasks", { prompt: "Hello", workspace: "missing" })).toBe(400);
    expect(await one.post("/api/tasks/unknown/words", { text: "Hello" })).toBe(404);
    expect(await one.post("/api/tasks/unknown/queue", { text: "Hello" })).toBe(404);
  });

  test("a task outlives its workers and servers, and its stream continues without a gap", async () => {
    const { id } = await one.create("Stream");
    const stream = one.follow(id);
    // Text that is not recorded yet comes from the owner.
    await stream.until((text) => text.includes("word word"));
    await kill(await ownerOf(id));
    await startWorker();

    await two.until(id, asksForCommand);
    await kill(await ownerOf(id));
    await kill(one.process);
    const again = two.follow(id, stream.lastId);
    await startWorker();
    // The call is interrupted, and the model completes.
    await again.until((text) => text.includes("completion_result"));
    expect(effects()).toBe("one\n");

    const { rows } = await rig.admin.query<{ n: string }>(
      "SELECT count(*) AS n FROM signalbox.record WHERE task = $1 AND content <> ''",
      [id],
    );
    const count = Number(rows[0]?.n);
    await expect.poll(() => again.records.at(-1)).toBe(count - 1);
    const received = [...new Set([...stream.records, ...again.records])];
    expect(received).toEqual(Array.from({ length: count }, (_, seq) => seq));
  });

  test("a task that is started in a pool is run by the worker of that pool", async () => {
    const created = two.create("Ask", { pool: "gpu" });
    const gpu = await startWorker("--pool", "gpu", "--pool", "browsers");
    expect(gpu.stderr).toBe("");
    const { id, pool } = await created;
    expect(pool).toBe("gpu");
    await two.until(id, asksForCommand);
    expect(await ownerOf(id)).toBe(gpu);
  });

  test("a worker at an address that other machines reach says so, and reports a refused command as one", async () => {
    const worker = await startWorker("--pool", "reached", "--host", "0.0.0.0");
    await worker.said("Warning: anyone who can reach 0.0.0.0 and has the token");
    const { id } = await two.create("Ask", { pool: "reached" });
    await two.until(id, asksForCommand);
    expect(await two.post(`/api/tasks/${id}/words`, { text: "Go on" })).toBe(409);
    await worker.said(`Task ${id} refused a command: `);
    expect(worker.stderr).toContain("(TASK_BUSY)");
    expect(worker.stderr).not.toContain("failed");
  });

  test("workers and servers end at SIGTERM without an error", async () => {
    const living = processes.filter(({ child }) => child.signalCode === null);
    expect(living.length).toBeGreaterThan(2);
    // A refused command was reported before.
    const reported = living.map(({ stderr }) => stderr);
    for (const { child } of living) child.kill("SIGTERM");
    expect(await Promise.all(living.map(({ code }) => code))).toEqual(living.map(() => 143));
    expect(living.map(({ stderr }) => stderr)).toEqual(reported);
  });
});

const asksForCommand = ({ asks }: TaskInfo): boolean =>
  asks.some(({ tool }) => tool?.name === "execute_command");

/** A server of the command. */
class Server {
  readonly process: Process;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(process: Process) {
    const [, url = "", token = ""] = /Open (http:\S+)\/#token=(\S+)/.exec(process.stdout) ?? [];
    this.process = process;
    this.#url = url;
    this.#headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  }

  async create(prompt: string, options: { readonly pool?: string } = {}): Promise<TaskInfo> {
    return taskInfoSchema.parse(await (await this.#fetch("/api/tasks", { prompt, ...options })).json());
  }

  async get(id: string): Promise<TaskInfo> {
    return taskInfoSchema.parse(await (await this.#fetch(`/api/tasks/${id}`)).json());
  }

  async list(): Promise<readonly TaskInfo[]> {
    return taskListSchema.parse(await (await this.#fetch("/api/tasks")).json()).tasks;
  }

  /** Send a command. Returns the status of the response. */
  async post(where: string, body: object): Promise<number> {
    return (await this.#fetch(where, body)).status;
  }

  /** The task once this is true of it in the list. */
  async until(id: string, isReached: (info: TaskInfo) => boolean): Promise<TaskInfo> {
    const found: TaskInfo[] = [];
    await expect
      .poll(async () => {
        found.push(...(await this.list()).filter((info) => info.id === id && isReached(info)));
        return found.length;
      })
      .toBeGreaterThan(0);
    const [first] = found;
    if (first === undefined) throw new Error(`Task ${id} did not get there.`);
    return first;
  }

  follow(id: string, lastId?: string): Stream {
    const headers = { ...this.#headers, ...(lastId !== undefined && { "last-event-id": lastId }) };
    return new Stream(fetch(`${this.#url}/api/tasks/${id}/events`, { headers }));
  }

  #fetch(where: string, body?: object): Promise<Response> {
    const json = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return fetch(`${this.#url}${where}`, { headers: this.#headers, ...json });
  }
}

/** The events of a task, until its server ends. */
class Stream {
  text = "";
  readonly #listeners = new Set<() => void>();

  constructor(response: Promise<Response>) {
    void this.#read(response);
  }

  get lastId(): string | undefined {
    return [...this.text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1];
  }

  /** The numbers of the records that it has got, in order. */
  get records(): readonly number[] {
    return [...this.text.matchAll(/"record":\{"seq":(\d+)/g)].map(([, seq]) => Number(seq));
  }

  async until(isReached: (text: string) => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!isReached(this.text)) return;
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
      look();
    });
  }

  async #read(response: Promise<Response>): Promise<void> {
    try {
      for await (const text of (await response).body?.pipeThrough(new TextDecoderStream()) ?? []) {
        this.text += text;
        for (const listener of [...this.#listeners]) listener();
      }
    } catch {
      // Its server was killed.
    }
  }
}
