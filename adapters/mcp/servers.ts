import { systemClock } from "../../actors/protocol/edge.ts";
import { digestOf } from "../../actors/review/digest.ts";
import { memoize } from "../../machines/conversation/memoize.ts";
import type { Clock } from "../../ports/clock.ts";
import { ToolError } from "../../tools/error.ts";
import type { Tool } from "../../tools/tool.ts";
import { type McpApprovals, memoryApprovals } from "./approvals.ts";
import type { McpListing, McpPrompt, OpenConnection } from "./connection.ts";
import { mcpResource, mcpToolByName, unknownServer } from "./generic-tools.ts";
import type { McpLogins } from "./logins.ts";
import { MCP_LIMITS, type McpLimits, type McpServerOptions } from "./options.ts";
import { McpServer, type McpServerStatus } from "./server.ts";
import { type ServerToolParts, serverTool } from "./server-tool.ts";

export interface McpOptions {
  /** By name. A name has no `/`. */
  readonly servers: Readonly<Record<string, McpServerOptions>>;
  /** The folder that processes start in. Default: the folder of this process. */
  readonly cwd?: string;
  readonly limits?: Partial<McpLimits>;
  /** Where it is kept with which definitions calls were approved. Default: in this process. */
  readonly approvals?: McpApprovals;
  /** An abort while they connect closes them. */
  readonly signal?: AbortSignal;
  /** Logins of a person to servers over HTTP, made by {@link loginMcp}. Default: none. */
  readonly logins?: McpLogins;
  /** The clock; pass another one in tests. */
  readonly clock?: Clock;
}

/** Connections to MCP servers, which several tasks can share. */
export interface McpServers {
  /** Their tools now, for `TaskOptions.dynamicTools`: the same list until one of them changes. */
  readonly tools: () => readonly Tool[];
  readonly status: readonly McpServerStatus[];
  /** Their prompts now. */
  readonly prompts: () => readonly (McpPrompt & { readonly server: string })[];
  /**
   * The texts of a prompt. A mention of a file is text (`\@a.txt`), except where the input has it.
   *
   * @throws ToolError `NOT_FOUND` for an unknown server, `TOO_LARGE`, `FAILED` for one that is not connected or returns none
   */
  prompt(server: string, name: string, input: Readonly<Record<string, string>>): Promise<readonly string[]>;
  /** Close the connections, and terminate the processes with all that they started. Calls that run fail. */
  close(): Promise<void>;
}

/**
 * Connect to MCP servers. Resolves when each is ready, or the first attempt failed: see `status`. A server that fails fails
 * no task.
 *
 * @throws the reason of `signal`
 * @example
 * ```ts
 * import { anthropic, createHost } from "signalbox";
 * import { connectMcp } from "signalbox/adapters";
 * const mcp = await connectMcp({
 *   servers: { files: { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] } },
 * });
 * const host = createHost();
 * const task = await host.create({
 *   model: anthropic({ model: "claude-sonnet-4-6" }),
 *   workspace: ".",
 *   dynamicTools: mcp.tools,
 * });
 * await task.run("Which files changed today?");
 * await host.closeAll();
 * await mcp.close();
 * ```
 */
export async function connectMcp(options: McpOptions): Promise<McpServers> {
  const { clock = systemClock, cwd = process.cwd(), approvals = memoryApprovals(), logins, signal } = options;
  signal?.throwIfAborted();
  const limits = { ...MCP_LIMITS, ...options.limits };
  const { descriptionBytes } = limits;
  const offered = Object.entries(options.servers)
    .filter(([, { disabled }]) => disabled !== true)
    .map(([name, server]) => {
      const open = lazily(server, { name, clock, cwd, limits, logins });
      const parts = { server: new McpServer(name, { clock, limits, open }), key: keyOf(name, server) };
      return new OfferedServer({ ...parts, approvals, descriptionBytes }, server.disabledTools ?? []);
    });
  const servers = offered.map(({ server }) => server);
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()));
  };
  await settle(servers, close, signal);
  return {
    tools: toolsOf(offered),
    get status() {
      return servers.map(({ status }) => status);
    },
    prompts: () =>
      servers.flatMap(({ name, listing }) => listing.prompts.map((prompt) => ({ ...prompt, server: name }))),
    async prompt(name, prompt, input) {
      const server = servers.find((each) => each.name === name);
      if (server === undefined) throw new ToolError("NOT_FOUND", unknownServer(servers, name));
      return server.use(NEVER, (connection) => connection.getPrompt(prompt, input));
    },
    close,
  };
}

/** Resolves when each is ready, or its first attempt failed. @throws the reason of `signal`, once they are closed */
async function settle(
  servers: readonly McpServer[],
  close: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const abort = (): void => void close();
  signal?.addEventListener("abort", abort, { once: true });
  await Promise.all(servers.map((server) => server.settled()));
  signal?.removeEventListener("abort", abort);
  if (signal?.aborted !== true) return;
  await close();
  throw signal.reason;
}

const NEVER = new AbortController().signal;

/** The client of the protocol is loaded with the first connection. */
const lazily =
  (
    server: McpServerOptions,
    options: Parameters<typeof import("./client.ts")["openClient"]>[1],
  ): OpenConnection =>
  async (listener, signal) => {
    const { openClient } = await import("./client.ts");
    return openClient(server, options)(listener, signal);
  };

/** A server by its name and by what runs: another server with its name is not approved. */
const keyOf = (name: string, server: McpServerOptions): string =>
  digestOf(name, "command" in server ? { command: server.command, args: server.args } : { url: server.url });

/** The tools of one server. */
class OfferedServer {
  readonly server: McpServer;
  readonly tools: (listing: McpListing) => ReadonlyMap<string, Tool>;

  constructor(parts: ServerToolParts, disabled: readonly string[]) {
    this.server = parts.server;
    this.tools = memoize(({ tools }: McpListing) => {
      const used = tools.filter(({ name }) => !disabled.includes(name));
      return new Map(used.map((tool) => [tool.name, serverTool(parts, tool)]));
    });
  }

  get byName(): ReadonlyMap<string, Tool> {
    return this.tools(this.server.listing);
  }
}

/** In the order of the servers and of their lists: a list in another order is not served from a cache. */
function toolsOf(offered: readonly OfferedServer[]): () => readonly Tool[] {
  const directory = {
    servers: offered.map(({ server }) => server),
    find: (server: string, tool: string) =>
      offered.find((each) => each.server.name === server)?.byName.get(tool),
  };
  const use = mcpToolByName(directory);
  const access = mcpResource(directory);
  let known:
    | { readonly maps: readonly ReadonlyMap<string, Tool>[]; readonly tools: readonly Tool[] }
    | undefined;
  return () => {
    const maps = offered.map(({ byName }) => byName);
    if (known === undefined || maps.some((map, index) => map !== known?.maps[index])) {
      const hasResources = directory.servers.some(({ listing }) => listing.hasResources);
      const direct = maps.flatMap((map) => [...map.values()]);
      const generic = direct.length === 0 ? [] : [use];
      known = { maps, tools: [...direct, ...generic, ...(hasResources ? [access] : [])] };
    }
    return known.tools;
  };
}
