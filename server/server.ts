import { once } from "node:events";
import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { systemClock } from "../actors/protocol/edge.ts";
import { throwUncaught } from "../actors/protocol/uncaught.ts";
import { taskMachine } from "../machines/task/task.machine.ts";
import type { Clock } from "../ports/clock.ts";
import type { JournalDriver } from "../ports/journal.ts";
import type { Host } from "../runtime/host.ts";
import type { TaskHistory } from "../runtime/task-history/task-history.ts";
import { fileJournal } from "../store/journal/file.ts";
import { taskFolder } from "../store/task-history/task-folder.ts";
import { chartOf } from "../visualize/chart/chart-of.ts";
import { Access } from "./access.ts";
import { createApp } from "./app.ts";
import { DEFAULT_SERVER_BOUNDS, type ServerBounds } from "./bounds.ts";
import { PROBLEM_HEADERS } from "./headers.ts";
import { openApi } from "./openapi.ts";
import { builtPageFolder } from "./page/built-page.ts";
import { problemOf } from "./problem.ts";
import { ROUTES } from "./routes/routes.ts";
import type { Services } from "./services.ts";
import { Streams } from "./streams.ts";
import { type ServedTask, TaskCommands } from "./tasks/task-commands.ts";
import { TaskList } from "./tasks/task-list.ts";
import { TaskTraces } from "./traces/task-traces.ts";

/** Options of {@link createServer}. */
export interface ServerOptions {
  /** The host of the tasks. Close it before the server, so that clients see the tasks settle. */
  readonly host: Host;
  /** The tasks on disk, in the host's data directory. */
  readonly history: TaskHistory;
  /** The journal of a task, for reading: `fileJournals(dataDir)`, or the host's own `journal`. */
  readonly journal: (taskId: string) => Pick<JournalDriver, "path" | "read">;
  /** The options of each task: its model, its policy. */
  readonly task: ServedTask;
  /** The default workspace; relative workspaces are resolved against it. */
  readonly workspace: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1: only this machine. With any other, everyone in the network who has the token. */
  readonly address?: string;
  /** The token that clients need. Default: 256 random bits, new at each start. */
  readonly token?: string;
  /** Host names of the server, besides `localhost` and IP addresses. */
  readonly names?: readonly string[];
  /** The folder of the built page. Default: the page of `@signalbox/debugger`; without that package only the API. */
  readonly page?: string;
  readonly bounds?: Partial<ServerBounds>;
  /** The clock, for tests. */
  readonly clock?: Clock;
  /** Called with errors that clients don't see: defects. Default: thrown as uncaught exceptions. */
  readonly onError?: (error: unknown) => void;
}

/** A listening server. */
export interface Server {
  /** Its address, without the token. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** The address for a browser. Its fragment, which is not sent over the network, has the token. */
  readonly pageUrl: string;
  /** The number of open streams. */
  readonly streams: number;
  /** End all streams and connections. The host's tasks continue. */
  close(): Promise<void>;
}

/** The journals in a data directory, for reading. */
export const fileJournals =
  (dataDir: string): ServerOptions["journal"] =>
  (taskId) =>
    fileJournal({ dir: taskFolder(dataDir, taskId) });

/**
 * Serve a host's tasks over HTTP, to the page and to every client that has the token.
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
 * const response = await fetch(`${server.url}/api/tasks`, {
 *   headers: { authorization: `Bearer ${server.token}` },
 * });
 * console.log(await response.json()); // { tasks: [] }
 * await server.close();
 * ```
 * @throws the system's error (EADDRINUSE, EACCES) if it can't listen
 */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { address = "127.0.0.1", names = [], clock = systemClock, onError = throwUncaught } = options;
  const { host, history, journal } = options;
  const bounds = { ...DEFAULT_SERVER_BOUNDS, ...options.bounds };
  const access = new Access(options.token, [...names, address]);
  const list = new TaskList({ host, history, clock, bounds, onError });
  const traces = new TaskTraces({ host, journal, clock, bounds });
  const streams = new Streams(bounds.streams);
  let port = options.port ?? 0;
  const services: Services = {
    access,
    list,
    traces,
    streams,
    clock,
    bounds,
    onError,
    commands: new TaskCommands({ host, history, list, task: options.task, workspace: options.workspace }),
    port: () => port,
    description: () => openApi(ROUTES, "1"),
    chart: CHART,
  };
  const app = createApp(services, options.page ?? builtPageFolder());
  const listen = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const http = createHttpServer((request, response) => {
    try {
      access.assertOwnPage(request.headers);
    } catch (error) {
      return reject(response, error);
    }
    void listen(request, response);
  });
  // A client that keeps its connection between two requests must not find it closed.
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
      list.close();
      traces.close();
      http.close();
      // The streams have ended: other connections are idle.
      http.closeIdleConnections();
      const cancelTimer = clock.after(CLOSE_MS, () => http.closeAllConnections());
      await closed;
      cancelTimer();
    },
  };
}

/** The chart of the task machine, which never changes. */
const CHART = chartOf(taskMachine);

const KEEP_ALIVE_MS = 60_000;

/** How long a reader has for its last events when the server is closed. */
const CLOSE_MS = 1_000;

/** Reject a request before it is parsed. */
function reject(response: ServerResponse, error: unknown): void {
  const problem = problemOf(error);
  response.writeHead(problem.status, { ...PROBLEM_HEADERS, connection: "close" });
  response.end(JSON.stringify(problem));
}
