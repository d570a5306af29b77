import { inspect } from "node:util";
import { MountedAccess } from "./access/mounted-access.ts";
import { openHandler } from "./handler.ts";
import { builtPageFolder } from "./page/built-page.ts";
import { ROUTES } from "./routes/routes.ts";
import type { ServiceOptions } from "./services.ts";

/** Options of {@link createHandler}. */
export interface HandlerOptions extends ServiceOptions {
  /**
   * Whether the sender of a request may do everything with all tasks. Called for each request to a route or to the page;
   * it must not read the body. Else the request is rejected with `UNAUTHORIZED`; with `INTERNAL` if it throws.
   */
  readonly authorize: (request: Request) => boolean | Promise<boolean>;
  /** The path that the handler is mounted at, as in the URLs of its requests: `/agents`. Default: none. */
  readonly basePath?: string;
  /** Origins of other sites whose pages may send requests: `https://app.example.com`. Default: none. */
  readonly origins?: readonly string[];
  /** The folder of the built page; false serves no page. Default: the page of `@signalbox/debugger`. */
  readonly page?: string | false;
  /**
   * Called with errors that clients don't see: defects, and what `authorize` throws. Default: `process.emitWarning`, which
   * does not end the server around the handler.
   */
  readonly onError?: (error: unknown) => void;
}

/** The tasks of a host over HTTP, as a function of the Fetch API. */
export interface Handler {
  /** The response to a request. A stream is sent as its body is read, and ends when that is cancelled. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The number of open streams. */
  readonly streams: number;
  /** End all streams. The host's tasks continue; further requests are rejected with `SERVER_CLOSED`. */
  readonly close: () => Promise<void>;
}

/**
 * Serve a host's tasks in a server of your own, with its authorization.
 *
 * @example
 * ```ts
 * import { anthropic, createHost, openHistory } from "signalbox";
 * import { createHandler, fileJournals } from "signalbox/server";
 * const dataDir = "./tasks";
 * const handler = createHandler({
 *   host: createHost({ dataDir }),
 *   history: openHistory({ dataDir }),
 *   journal: fileJournals(dataDir),
 *   task: { model: anthropic({ model: "claude-sonnet-4-6", apiKey: "sk-..." }) },
 *   workspace: ".",
 *   basePath: "/agents",
 *   authorize: ({ headers }) => headers.get("authorization") === "Bearer secret",
 * });
 * const response = await handler.fetch(new Request("https://example.com/agents/api/tasks"));
 * console.log(response.status); // 401
 * await handler.close();
 * ```
 */
export function createHandler(options: HandlerOptions): Handler {
  const { authorize, basePath = "", origins = [], page = builtPageFolder(), onError = warn } = options;
  const handler = openHandler({
    ...options,
    onError,
    access: new MountedAccess({ authorize, origins }),
    routes: ROUTES,
    page,
    basePath: normalizePath(basePath),
  });
  return {
    // A server may pass more than the request.
    fetch: (request) => handler.fetch(request, {}),
    get streams() {
      return handler.streams;
    },
    close: () => handler.close(),
  };
}

const warn = (error: unknown): void => process.emitWarning(inspect(error));

/** The path with a slash at its beginning only; `/` is none. */
function normalizePath(path: string): string {
  const names = path.replaceAll(/^\/+|\/+$/g, "");
  return names === "" ? "" : `/${names}`;
}
