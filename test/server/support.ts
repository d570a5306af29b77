import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { anthropic } from "../../adapters/index.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ChatModel } from "../../ports/model.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import type { CommonTaskOptions, TaskModels } from "../../runtime/options.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { createServer, fileJournals, type Server, type ServerOptions } from "../../server/index.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { type MockServer, startMock } from "../../testing/mock/server/server.ts";
import type { TraceEvent } from "../../visualize/trace/index.ts";
import { type TaskInfo, taskInfoSchema } from "../../wire/http/api.ts";
import { traceEventSchema } from "../../wire/http/trace.ts";

export interface ServedOptions extends Partial<Omit<ServerOptions, "host" | "history" | "journal" | "task">> {
  /** The responses of the mock. Without a script, `model` is needed. */
  readonly script?: string;
  readonly model?: ChatModel;
  /** The other models. */
  readonly models?: Omit<TaskModels, "default">;
  readonly files?: Readonly<Record<string, string>>;
  readonly task?: Partial<CommonTaskOptions>;
  readonly clock?: Clock;
  /** Creates the ids of tasks. Default: random UUIDs. */
  readonly newId?: () => string;
  /** Default: the history of the data directory. */
  readonly history?: (dataDir: string) => TaskHistory;
}

/** A server with its own host, that can be restarted with the same data. */
export class Served {
  readonly base: string;
  readonly workspace: string;
  readonly dataDir: string;
  readonly mock: MockServer | undefined;
  readonly errors: unknown[] = [];
  readonly #options: ServedOptions;
  host: Host;
  server: Server;

  private constructor(
    base: string,
    mock: MockServer | undefined,
    options: ServedOptions,
    { host, server }: { host: Host; server: Server },
  ) {
    this.base = base;
    this.workspace = path.join(base, "workspace");
    this.dataDir = path.join(base, "data");
    this.mock = mock;
    this.#options = options;
    this.host = host;
    this.server = server;
  }

  static async open(options: ServedOptions): Promise<Served> {
    const base = await mkdtemp(path.join(tmpdir(), "served-"));
    await mkdir(path.join(base, "workspace"));
    for (const [name, text] of Object.entries(options.files ?? {})) {
      const file = path.join(base, "workspace", name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    const mock = options.script === undefined ? undefined : await startMock(parseScript(options.script));
    const served = new Served(base, mock, options, await start(base, mock, options));
    return served;
  }

  /** Closes the host and the server, and starts others with the same folders. */
  async restart(): Promise<void> {
    await this.host.closeAll();
    await this.server.close();
    const { host, server } = await start(this.base, this.mock, this.#options);
    this.host = host;
    this.server = server;
  }

  async fetch(where: string, init: RequestInit & { readonly json?: unknown } = {}): Promise<Response> {
    const { json, ...rest } = init;
    return fetch(`${this.server.url}${where}`, {
      ...rest,
      ...(json !== undefined && { body: JSON.stringify(json) }),
      headers: {
        authorization: `Bearer ${this.server.token}`,
        ...(json !== undefined && { "content-type": "application/json" }),
        ...init.headers,
      },
    });
  }

  async post(where: string, json?: unknown): Promise<Response> {
    return this.fetch(where, { method: "POST", ...(json !== undefined && { json }) });
  }

  async create(prompt: string, more: Readonly<Record<string, unknown>> = {}): Promise<TaskInfo> {
    const response = await this.post("/api/tasks", { prompt, ...more });
    if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`);
    return taskInfoSchema.parse(await response.json());
  }

  async info(id: string): Promise<TaskInfo> {
    return taskInfoSchema.parse(await (await this.fetch(`/api/tasks/${id}`)).json());
  }

  /** The trace up to now. */
  async trace(id: string): Promise<readonly TraceEvent[]> {
    const text = await (await this.fetch(`/api/tasks/${id}/trace`)).text();
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => traceEventSchema.parse(JSON.parse(line)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.host.closeAll();
    await this.server.close();
    await this.mock?.close();
    await rm(this.base, { recursive: true, force: true });
  }
}

async function start(base: string, mock: MockServer | undefined, options: ServedOptions) {
  const { script: _script, model, models, files: _files, task, history, newId, ...rest } = options;
  const dataDir = path.join(base, "data");
  const host = createHost({
    dataDir,
    ...(options.clock !== undefined && { clock: options.clock }),
    ...(newId !== undefined && { newId }),
  });
  const server = await createServer({
    host,
    history: history?.(dataDir) ?? openHistory({ dataDir }),
    journal: fileJournals(dataDir),
    task: {
      models: {
        ...models,
        default: model ?? anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock?.url ?? "" }),
      },
      limits: { retryDelayMs: 10 },
      ...task,
    },
    workspace: path.join(base, "workspace"),
    page: path.join(base, "page"),
    ...rest,
  });
  return { host, server };
}

/** One event of a stream. */
export interface Sse {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** The events of a stream, one by one, without comments. */
export class SseReader {
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #abort: AbortController;
  #text = "";

  private constructor(reader: ReadableStreamDefaultReader<string>, abort: AbortController) {
    this.#reader = reader;
    this.#abort = abort;
  }

  static async open(served: Pick<Served, "fetch">, where: string, lastEventId?: string): Promise<SseReader> {
    const abort = new AbortController();
    const response = await served.fetch(where, {
      signal: abort.signal,
      ...(lastEventId !== undefined && { headers: { "last-event-id": lastEventId } }),
    });
    if (response.status !== 200 || response.body === null)
      throw new Error(`${response.status}: ${await response.text()}`);
    const text = response.body.pipeThrough(new TextDecoderStream());
    return new SseReader(text.getReader(), abort);
  }

  /** Undefined at its end. */
  async next(): Promise<Sse | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        const event = eventOf(block);
        if (event !== undefined) return event;
        continue;
      }
      const chunk = await this.#reader.read();
      if (chunk.done) return undefined;
      this.#text += chunk.value;
    }
  }

  /** The events up to the first that matches. @throws if the stream ends before */
  async until(matches: (event: Sse) => boolean): Promise<readonly Sse[]> {
    const events: Sse[] = [];
    for (;;) {
      const event = await this.next();
      if (event === undefined) throw new Error(`The stream ended after ${JSON.stringify(events.at(-1))}.`);
      events.push(event);
      if (matches(event)) return events;
    }
  }

  close(): void {
    this.#abort.abort();
  }
}

function eventOf(block: string): Sse | undefined {
  const field = (name: string): string | undefined =>
    block
      .split("\n")
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const data = field("data");
  return data === undefined ? undefined : { event: field("event") ?? "message", id: field("id"), data };
}

export const isLive = ({ event }: Sse): boolean => event === "live";

/** Whether this is the commit with which the task enters this state. */
export const enters =
  (state: string) =>
  ({ event, data }: Sse): boolean => {
    if (event !== "message") return false;
    const { record } = traceEventSchema.parse(JSON.parse(data));
    return record.kind === "commit" && record.after.startsWith(state) && !record.before.startsWith(state);
  };

export const tracesOf = (events: readonly Sse[]): readonly TraceEvent[] =>
  events
    .filter(({ event }) => event === "message")
    .map(({ data }) => traceEventSchema.parse(JSON.parse(data)));
