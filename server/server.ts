import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Clock } from "../actors/index.ts";
import { systemClock } from "../actors/index.ts";
import { taskMachine } from "../machines/task/index.ts";
import type { Host, TaskHistory } from "../runtime/index.ts";
import { fileJournal, type JournalDriver, taskFolder } from "../store/index.ts";
import { BUILT_PAGE, chartOf, layoutOf } from "../visualize/index.ts";
import { Access } from "./access.ts";
import { createApp } from "./app.ts";
import { DEFAULT_SERVER_BOUNDS, type ServerBounds } from "./bounds.ts";
import { Feed } from "./feed/index.ts";
import { NO_STORE, PROBLEM_TYPE, SECURITY_HEADERS } from "./headers.ts";
import { openApi } from "./openapi.ts";
import { problemOf } from "./problem.ts";
import { ROUTES } from "./routes/index.ts";
import type { Services } from "./services.ts";
import { Streams } from "./streams.ts";
import { Book, Desk, type ServedTask } from "./tasks/index.ts";

export interface ServerOptions {
  /** Holds the tasks. It stays its maker's: close it before the server, so that clients see the tasks come to rest. */
  readonly host: Host;
  /** The tasks on disk: those of the host's own data folder. */
  readonly history: TaskHistory;
  /** Where the journal of a task is read from: `fileJournals(dataDir)`, or the host's own `journal`. */
  readonly journal: (taskId: string) => Pick<JournalDriver, "path" | "read">;
  /** What each task is made and opened with: its model, its policy. */
  readonly task: ServedTask;
  /** The folder that a task works in which names none; those that they name are meant from there. */
  readonly workspace: string;
  /** Default 0: any that is free. */
  readonly port?: number;
  /** Default 127.0.0.1: only this machine gets there. With any other, all of the network may that has the token. */
  readonly address?: string;
  /** What a client must show. Default: 256 random bits, another at each start. */
  readonly token?: string;
  /** Names by which the server is called, beside `localhost` and IP addresses. */
  readonly names?: readonly string[];
  /** The folder of the built page. Default: the package's own. */
  readonly page?: string;
  readonly bounds?: Partial<ServerBounds>;
  /** Time, for tests. */
  readonly clock?: Clock;
  /** Told of what a client is told nothing of: a defect. Default: thrown at the process. */
  readonly onError?: (error: unknown) => void;
}

/** A server that listens. */
export interface Server {
  /** Where it is, without its token. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** What a person opens in a browser: the token is in the fragment, which is sent to nobody. */
  readonly pageUrl: string;
  /** Streams that are open. */
  readonly streams: number;
  /** Ends all streams and connections. The tasks go on: they are the host's. */
  close(): Promise<void>;
}

/** The journals in a data folder, for reading. */
export const fileJournals =
  (dataDir: string): ServerOptions["journal"] =>
  (taskId) =>
    fileJournal({ dir: taskFolder(dataDir, taskId) });

/**
 * Serves a host's tasks over HTTP: to the page, and to whoever has the token (docs/server.md).
 *
 * @example
 * ```ts
 * import { anthropic, createHost, openHistory } from "signalbox";
 * import { createServer, fileJournals } from "signalbox/server";
 * const dataDir = "./tasks";
 * const server = await createServer({
 *   host: createHost({ dataDir }),
 *   history: openHistory({ dataDir }),
 *   journal: fileJournals(dataDir),
 *   task: { model: anthropic({ model: "claude-sonnet-4-6", apiKey: "sk-..." }) },
 *   workspace: ".",
 * });
 * const answer = await fetch(`${server.url}/api/tasks`, {
 *   headers: { authorization: `Bearer ${server.token}` },
 * });
 * console.log(await answer.json()); // { tasks: [] }
 * await server.close();
 * ```
 * @throws the system's error (EADDRINUSE, EACCES) where it can't listen
 */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { address = "127.0.0.1", names = [], clock = systemClock, onError = throwAtProcess } = options;
  const { host, history, journal } = options;
  const bounds = { ...DEFAULT_SERVER_BOUNDS, ...options.bounds };
  const access = new Access({ token: options.token, names: [...names, address] });
  const book = new Book({ host, history, clock, bounds, onError });
  const feed = new Feed({ host, journal, clock, bounds });
  const streams = new Streams(bounds.streams);
  let port = options.port ?? 0;
  let description: unknown;
  let chart: Promise<unknown> | undefined;
  const services: Services = {
    access,
    book,
    feed,
    streams,
    clock,
    bounds,
    onError,
    desk: new Desk({ host, history, book, task: options.task, workspace: options.workspace }),
    port: () => port,
    description: () => {
      description ??= openApi(ROUTES, "1");
      return description;
    },
    chart: () => {
      chart ??= drawn();
      return chart;
    },
  };
  const app = createApp(services, options.page ?? BUILT_PAGE);
  const listen = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const http = createHttpServer((request, response) => {
    const refusal = refusalOf(access, request);
    if (refusal === undefined) void listen(request, response);
    else refuse(response, refusal);
  });
  // A client that keeps its connection between two requests must not find it closed under it.
  http.keepAliveTimeout = KEEP_ALIVE_MS;
  http.listen(port, address);
  await once(http, "listening");
  const bound = http.address();
  if (typeof bound === "object" && bound !== null) port = bound.port;
  const url = `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
  return {
    url,
    port,
    token: access.token,
    pageUrl: `${url}/#token=${access.token}`,
    get streams() {
      return streams.size;
    },
    async close() {
      const closed = http.listening ? once(http, "close") : undefined;
      streams.close();
      book.close();
      feed.close();
      http.close();
      // Streams have said their last; what is still open waits for nothing of ours.
      http.closeIdleConnections();
      const forget = clock.after(CLOSE_MS, () => http.closeAllConnections());
      await closed;
      forget();
    },
  };
}

/** The machine that every task is, and where its parts lie: always the same, so that it is made once. */
async function drawn(): Promise<unknown> {
  const chart = chartOf(taskMachine);
  return { chart, layout: await layoutOf(chart) };
}

const KEEP_ALIVE_MS = 60_000;

/** How long a reader may take for what it was told last, when the server is closed. */
const CLOSE_MS = 1_000;

const throwAtProcess = (error: unknown): void =>
  queueMicrotask(() => {
    throw error;
  });

function refusalOf(access: Access, { headers }: IncomingMessage): unknown {
  try {
    access.expectOwnPage(headers);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Before anything is made of the request. */
function refuse(response: ServerResponse, error: unknown): void {
  const problem = problemOf(error);
  response.writeHead(problem.status, {
    ...SECURITY_HEADERS,
    ...NO_STORE,
    "content-type": PROBLEM_TYPE,
    connection: "close",
  });
  response.end(JSON.stringify(problem));
}
