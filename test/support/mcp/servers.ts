import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../../actors/protocol/edge.ts";
import { openClient } from "../../../adapters/mcp/client.ts";
import type { McpLogins } from "../../../adapters/mcp/logins.ts";
import { MCP_LIMITS, type McpLimits, type McpServerOptions } from "../../../adapters/mcp/options.ts";
import { McpServer } from "../../../adapters/mcp/server.ts";
import type { Clock } from "../../../ports/clock.ts";

const node = process.execPath;
const raw = fileURLToPath(new URL("raw-server.js", import.meta.url));

/** A server that does what no library does. */
export const rawServer = (...args: readonly string[]): McpServerOptions => ({
  command: node,
  args: [raw, ...args],
});

/** A reference server. */
export function referenceServer(
  name: "everything" | "filesystem" | "memory",
  ...args: readonly string[]
): McpServerOptions & { readonly command: string } {
  const folder = path.dirname(
    createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`),
  );
  return { command: node, args: [path.join(folder, "dist/index.js"), ...args] };
}

export interface ConnectedOptions {
  readonly clock?: Clock;
  readonly limits?: Partial<McpLimits>;
  readonly logins?: McpLogins;
}

/** A server whose first attempt to connect has ended. It is closed when it is disposed of. */
export async function connected(
  options: McpServerOptions,
  { clock = systemClock, limits: some = {}, logins }: ConnectedOptions = {},
): Promise<McpServer & AsyncDisposable> {
  const limits = { ...MCP_LIMITS, ...some };
  const server = new McpServer("s", {
    clock,
    limits,
    open: openClient(options, { name: "s", clock, limits, cwd: process.cwd(), logins }),
  });
  await server.settled();
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.close() });
}
