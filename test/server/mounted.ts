import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { getRequestListener, serve } from "@hono/node-server";
import { Hono } from "hono";
import { anthropic } from "../../adapters/index.ts";
import { createHost, type Host } from "../../runtime/host.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { createHandler, fileJournals, type HandlerOptions } from "../../server/index.ts";
import { parseScript } from "../../testing/mock/script/script-parser.ts";
import { startMock } from "../../testing/mock/server/server.ts";

const WRITE = `{ tool: write_to_file, input: { path: a.txt, content: "two\\n" } }`;
const DONE = `{ tool: attempt_completion, input: { result: All done. } }`;

/** Where requests to the base path of a handler are sent. */
export interface Mount {
  /** The base path, without a slash at its end. */
  readonly url: string;
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  readonly close: () => void;
}

type Handler = ReturnType<typeof createHandler>;

/** The options of a handler that a test replaces. */
export type MountedOptions = Partial<Omit<HandlerOptions, "host" | "history" | "journal" | "task">>;

/** A handler with its own host, mounted in a server. */
export class Mounted implements AsyncDisposable {
  readonly workspace: string;
  readonly host: Host;
  readonly handler: Handler;
  readonly errors: readonly unknown[];
  readonly #mount: Mount;
  readonly #dispose: () => Promise<void>;

  private constructor(
    parts: Pick<Mounted, "workspace" | "host" | "handler" | "errors">,
    mount: Mount,
    dispose: () => Promise<void>,
  ) {
    this.workspace = parts.workspace;
    this.host = parts.host;
    this.handler = parts.handler;
    this.errors = parts.errors;
    this.#mount = mount;
    this.#dispose = dispose;
  }

  static async open(
    mountOf: (handler: Handler) => Promise<Mount>,
    options: MountedOptions = {},
  ): Promise<Mounted> {
    const base = await mkdtemp(path.join(tmpdir(), "mounted-"));
    const workspace = path.join(base, "workspace");
    const page = path.join(base, "page");
    const dataDir = path.join(base, "data");
    await mkdir(workspace);
    await mkdir(page);
    await writeFile(path.join(page, "index.html"), "<p>The page.</p>");
    const mock = await startMock(parseScript(`[[{ text: I write. }, ${WRITE}], ${DONE}]`));
    const host = createHost({ dataDir });
    const errors: unknown[] = [];
    const handler = createHandler({
      host,
      history: openHistory({ dataDir }),
      journal: fileJournals(dataDir),
      task: { model: anthropic({ model: "claude-sonnet-4-5", apiKey: "mock", baseURL: mock.url }) },
      workspace,
      page,
      basePath: "/agents",
      authorize: async ({ headers }) => headers.get("authorization") === "Bearer mine",
      onError: (error) => errors.push(error),
      ...options,
    });
    const mount = await mountOf(handler);
    return new Mounted({ workspace, host, handler, errors }, mount, async () => {
      await host.closeAll();
      await handler.close();
      mount.close();
      await mock.close();
      await rm(base, { recursive: true, force: true });
    });
  }

  get url(): string {
    return this.#mount.url;
  }

  /** Send a request of an authorized client to a path below the base path. */
  async fetch(where: string, init: RequestInit & { readonly json?: unknown } = {}): Promise<Response> {
    const { json, ...rest } = init;
    return this.#mount.fetch(`${this.url}${where}`, {
      redirect: "manual",
      ...rest,
      ...(json !== undefined && { body: JSON.stringify(json) }),
      headers: {
        authorization: "Bearer mine",
        ...(json !== undefined && { "content-type": "application/json" }),
        ...init.headers,
      },
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#dispose();
  }
}

/** No server: the handler is called with requests. */
export const called = async ({ fetch: handle }: Handler): Promise<Mount> => ({
  url: "https://app.example/agents",
  fetch: (url, init) => handle(new Request(url, init)),
  close: () => undefined,
});

/** A route of a Hono app, as its documentation shows it. */
export const inHono = async ({ fetch: handle }: Handler): Promise<Mount> => {
  const app = new Hono();
  app.get("/", ({ text }) => text("The app."));
  app.all("/agents/*", ({ req }) => handle(req.raw));
  return listening(
    serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as ReturnType<typeof createServer>,
  );
};

/** A listener of Node.js, as Express takes it. */
export const inNode = async ({ fetch: handle }: Handler): Promise<Mount> =>
  listening(
    createServer(getRequestListener(handle, { overrideGlobalObjects: false })).listen(0, "127.0.0.1"),
  );

async function listening(server: ReturnType<typeof createServer>): Promise<Mount> {
  if (!server.listening) await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/agents`,
    fetch,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
