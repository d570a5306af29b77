import { once } from "node:events";
import { createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { OwnerAddress, TaskOwners } from "../../ports/owners.ts";
import { createHost } from "../../runtime/host.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { createServer, fileJournals, type Server, type ServerBounds } from "../../server/index.ts";
import { scriptedModel } from "../../testing/index.ts";
import { problemSchema, taskInfoSchema, taskListSchema } from "../../wire/http/api.ts";
import { MemoryInbox } from "../support/memory-inbox.ts";
import { Served } from "./support.ts";

/** The words of a response that stalls. */
const RESPONSE = "{ text: 'I think about it.', chunk: 4 }";

/** One process that may own all tasks. */
class Owners implements TaskOwners {
  address: OwnerAddress | undefined;
  readonly #listeners = new Set<Parameters<TaskOwners["watch"]>[0]>();

  async ownerOf(): Promise<OwnerAddress | undefined> {
    return this.address;
  }

  async all(): Promise<readonly OwnerAddress[]> {
    return this.address === undefined ? [] : [this.address];
  }

  serveAt(address: OwnerAddress): void {
    this.address = address;
  }

  async announce(taskId: string): Promise<void> {
    for (const listener of this.#listeners) listener.onOpened(taskId);
  }

  watch(listener: Parameters<TaskOwners["watch"]>[0]): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

describe("a server whose tasks are run by workers", () => {
  let worker: Served;
  let owners: Owners;
  let inbox: MemoryInbox;
  let woken: string[];
  let pools: Map<string, string>;
  const servers: Server[] = [];

  beforeEach(async () => {
    worker = await Served.open({
      script: `[{ stallMs: 600000, after: 2 }, ${RESPONSE}, { stallMs: 600000, after: 2 }, ${RESPONSE}]`,
    });
    owners = new Owners();
    inbox = new MemoryInbox();
    woken = [];
    pools = new Map();
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
    await worker[Symbol.asyncDispose]();
  });

  async function front(bounds: Partial<ServerBounds> = {}, pool?: string): Promise<Client> {
    const { dataDir, workspace } = worker;
    const server = await createServer({
      host: createHost({ dataDir }),
      history: openHistory({ dataDir }),
      journal: fileJournals(dataDir),
      task: { model: scriptedModel([]) },
      workspace,
      page: workspace,
      bounds,
      workers: {
        owners,
        inbox,
        pools: {
          poolOf: async (id) => pools.get(id) ?? "default",
          poolsOf: async (ids) => new Map([...pools].filter(([id]) => ids.includes(id))),
        },
        ...(pool !== undefined && { pool }),
        wakes: {
          wake: async (id) => {
            woken.push(id);
          },
        },
      },
    });
    servers.push(server);
    return new Client(server);
  }

  test("streams from the owner, from the journal when that ends, and from the next owner, without a gap", async () => {
    const { id } = await worker.create("Think");
    owners.serveAt(worker.server);
    const client = await front();
    const stream = client.follow(id);
    await stream.until((text) => text.includes("I th"));

    owners.address = undefined;
    await worker.restart();
    await stream.until((text) => text.includes("resume_task"));

    await worker.post(`/api/tasks/${id}/open`, {});
    owners.serveAt(worker.server);
    await owners.announce(id);
    await worker.post(`/api/tasks/${id}/words`, { text: "Go on" });
    await stream.until((text) => text.slice(text.indexOf("Go on")).includes("I th"));

    const last = (await worker.trace(id))
      .flatMap(({ record }) => ("seq" in record ? [record.seq] : []))
      .at(-1);
    await stream.until(() => stream.records.at(-1) === last);
    expect(stream.records).toEqual(Array.from({ length: stream.records.length }, (_, seq) => seq));
    expect(stream.ids).toEqual([...new Set(stream.ids)]);
  });

  test("answers from the journal when the owner does not answer", async () => {
    const { id } = await worker.create("Think");
    const silent = createTcpServer(() => {});
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    owners.serveAt({ url: `http://127.0.0.1:${portOf(silent)}`, token: "none" });
    const client = await front({ answerMs: 1 });
    const { tasks } = taskListSchema.parse(await (await client.fetch("/api/tasks")).json());
    expect(tasks).toMatchObject([{ id, isOpen: false }]);
    const info = taskInfoSchema.parse(await (await client.fetch(`/api/tasks/${id}`)).json());
    expect(info).toMatchObject({ id, isOpen: false });
    silent.close();
  });

  test("has the state of a task as its owner has it, and passes on what the owner refuses", async () => {
    const { id } = await worker.create("Think");
    owners.serveAt(worker.server);
    const client = await front();
    const info = taskInfoSchema.parse(await (await client.fetch(`/api/tasks/${id}`)).json());
    expect(info).toMatchObject({ isOpen: true, mode: "code" });
    expect(await client.problem(`/api/tasks/${id}/asks/1/answer`, { kind: "yes" })).toMatchObject({
      status: 409,
      code: "ASK_UNKNOWN",
    });
    expect(await (await client.fetch(`/api/tasks/${id}/queue`, { text: "And then" })).json()).toEqual({
      id: expect.any(String),
    });
    expect(woken).toEqual([]);
  });

  test("does not repeat a request that changes something when the owner ends before it answers", async () => {
    const { id } = await worker.create("Think");
    let requests = 0;
    const dying = createTcpServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        requests += 1;
        socket.destroy();
      });
    });
    dying.listen(0, "127.0.0.1");
    await once(dying, "listening");
    owners.serveAt({ url: `http://127.0.0.1:${portOf(dying)}`, token: "none" });
    const client = await front({ workerMs: 1 });
    const problem = await client.problem(`/api/tasks/${id}/queue`, { text: "And then" });
    expect(problem).toMatchObject({ status: 503, code: "WORKER_LOST" });
    expect({ requests, woken }).toEqual({ requests: 1, woken: [] });
    // Nothing listens there any more: the request was not sent, and a worker may still open the task.
    dying.close();
    await once(dying, "close");
    expect(await client.problem(`/api/tasks/${id}/queue`, { text: "And then" })).toMatchObject({
      code: "WORKER_MISSING",
    });
    expect(woken).toEqual([id]);
  });

  test("says that no worker runs: of a request that needs one, and of a command that it has stored", async () => {
    const { id } = await worker.create("Think");
    const client = await front({ workerMs: 1 });
    const queue = await client.problem(`/api/tasks/${id}/queue`, { text: "And then" });
    expect(queue).toMatchObject({ status: 503, code: "WORKER_MISSING" });
    const words = await client.problem(`/api/tasks/${id}/words`, { text: "Go on" });
    expect(words).toMatchObject({ status: 503, code: "COMMAND_WAITS" });
    expect(inbox.rows).toMatchObject([{ taskId: id, command: { kind: "continue", text: "Go on" } }]);
    expect(woken).toEqual([id, id]);
    expect([queue.detail, words.detail]).toEqual([
      expect.stringContaining(`Expected a worker of pool default to open task ${id} within 1 ms`),
      expect.stringContaining(
        `Expected a worker of pool default to take the command for task ${id} within 1 ms`,
      ),
    ]);
    pools.set(id, "gpu");
    const other = await client.problem(`/api/tasks/${id}/queue`, { text: "And then" });
    expect(other.detail).toContain("Check that workers of that pool run");
    expect(other.detail).toContain("a worker of pool gpu");
  });

  test("starts a task in the pool of the request, else in the server's, else in default", async () => {
    const client = await front({ workerMs: 1 }, "browsers");
    await client.problem("/api/tasks", { id: "chosen", prompt: "Go", pool: "gpu" });
    await client.problem("/api/tasks", { id: "of-server", prompt: "Go" });
    await (await front({ workerMs: 1 })).problem("/api/tasks", { id: "none", prompt: "Go" });
    expect(inbox.rows).toMatchObject([
      { taskId: "chosen", pool: "gpu" },
      { taskId: "of-server", pool: "browsers" },
      { taskId: "none", pool: "default" },
    ]);
    expect(inbox.rows[0]?.command).not.toHaveProperty("pool");
  });

  test("refuses a start with a pool that is no name, and stores nothing", async () => {
    const client = await front({ workerMs: 1 });
    const problem = await client.problem("/api/tasks", { prompt: "Go", pool: "Big GPUs" });
    expect(problem).toMatchObject({ status: 400, code: "BODY_INVALID" });
    expect(problem.detail).toContain("Expected a pool of 1 to 40 lower-case letters");
    expect(inbox.rows).toEqual([]);
  });

  test("lists the pool of a task that is in another one than default, open or not", async () => {
    const { id } = await worker.create("Think");
    const client = await front();
    const poolOf = async () => {
      const { tasks } = taskListSchema.parse(await (await client.fetch("/api/tasks")).json());
      const info = taskInfoSchema.parse(await (await client.fetch(`/api/tasks/${id}`)).json());
      return [...tasks, info].map(({ pool }) => pool);
    };
    expect(await poolOf()).toEqual([undefined, undefined]);
    pools.set(id, "gpu");
    expect(await poolOf()).toEqual(["gpu", "gpu"]);
    owners.serveAt(worker.server);
    expect(await poolOf()).toEqual(["gpu", "gpu"]);
  });

  test("a server without workers refuses a start that names a pool", async () => {
    const { url, token } = worker.server;
    const response = await fetch(`${url}/api/tasks`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ prompt: "Go", pool: "gpu" }),
    });
    const problem = problemSchema.parse(await response.json());
    expect(problem).toMatchObject({ status: 400, code: "OPTION_INVALID" });
    expect(problem.detail).toContain("this server runs its tasks itself");
  });
});

function portOf(server: TcpServer): number | undefined {
  const address = server.address();
  return typeof address === "object" ? address?.port : undefined;
}

class Client {
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  fetch(where: string, body?: object): Promise<Response> {
    const { url, token } = this.#server;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const post = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return fetch(`${url}${where}`, { headers, ...post });
  }

  async problem(where: string, body: object) {
    return problemSchema.parse(await (await this.fetch(where, body)).json());
  }

  follow(id: string): Stream {
    return new Stream(this.fetch(`/api/tasks/${id}/events`));
  }
}

/** The text of a stream. */
class Stream {
  #text = "";
  #heard = (): void => {};

  constructor(response: Promise<Response>) {
    void this.#read(response);
  }

  /** The numbers of the records that it has got, each once. */
  get records(): readonly number[] {
    return [...new Set([...this.#text.matchAll(/"record":\{"seq":(\d+)/g)].map(([, seq]) => Number(seq)))];
  }

  get ids(): readonly string[] {
    return [...this.#text.matchAll(/^id: (.+)$/gm)].map(([, id = ""]) => id);
  }

  async until(isReached: (text: string) => boolean): Promise<void> {
    while (!isReached(this.#text))
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
  }

  async #read(response: Promise<Response>): Promise<void> {
    for await (const text of (await response).body?.pipeThrough(new TextDecoderStream()) ?? []) {
      this.#text += text;
      this.#heard();
    }
  }
}
