import { once } from "node:events";
import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { systemClock } from "../actors/protocol/edge.ts";
import { fileJournal } from "../store/journal/file.ts";
import { taskFolder } from "../store/task-history/task-folder.ts";
import { TokenAccess } from "./access/token-access.ts";
import { openHandler } from "./handler.ts";
import { PROBLEM_HEADERS } from "./headers.ts";
import { builtPageFolder } from "./page/built-page.ts";
import { problemOf } from "./problem.ts";
import { ROUTES } from "./routes/routes.ts";
import { sessionRoute } from "./routes/server.ts";
import type { ServiceOptions } from "./services.ts";
import { CLOSE_MS } from "./streams.ts";

/** Options of {@link createServer}. */
export interface ServerOptions extends ServiceOptions {
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
  const { address = "127.0.0.1", names = [], page = builtPageFolder(), clock = systemClock } = options;
  let port = options.port ?? 0;
  const access = new TokenAccess({ token: options.token, names: [...names, address], port: () => port });
  const routes = [sessionRoute(access), ...ROUTES];
  const handler = openHandler({ ...options, access, routes, page, basePath: "" });
  const listen = getRequestListener(
    (request, { outgoing }) => handler.fetch(request, { reset: () => outgoing.destroy() }),
    { overrideGlobalObjects: false },
  );
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
      return handler.streams;
    },
    async close() {
      const closed = http.listening ? once(http, "close") : undefined;
      const ended = handler.close();
      http.close();
      http.closeIdleConnections();
      const cancelTimer = clock.after(CLOSE_MS, () => http.closeAllConnections());
      await Promise.all([closed, ended]);
      cancelTimer();
    },
  };
}

const KEEP_ALIVE_MS = 60_000;

/** Reject a request before it is parsed. */
function reject(response: ServerResponse, error: unknown): void {
  const problem = problemOf(error);
  response.writeHead(problem.status, { ...PROBLEM_HEADERS, connection: "close" });
  response.end(JSON.stringify(problem));
}
