import { type McpServer, RequestError } from "@agentclientprotocol/sdk/unstable";
import type { SelectedMcpServers } from "../../settings/mcp.ts";

type McpServerOptions = SelectedMcpServers["servers"][string];

/** A name that a permission rule can have. */
const USABLE_NAME = /^[^\s*/\p{C}](?:[^*/\p{C}]{0,126}[^\s*/\p{C}])?$/u;

/** The MCP servers of a client, for `connectMcp`. @throws RequestError for two with one name */
export function clientMcpServers(given: readonly McpServer[]): SelectedMcpServers {
  assertDistinct(given.map(({ name }) => name));
  const servers: (readonly [string, McpServerOptions])[] = [];
  const problems: string[] = [];
  for (const server of given) {
    const { name } = server;
    const options = optionsOf(server);
    const leaveOut = (expected: string) =>
      problems.push(
        `the MCP server ${JSON.stringify(name.slice(0, 128))} is left out: expected ${expected}.`,
      );
    if (!USABLE_NAME.test(name)) leaveOut("a name of 1 to 128 characters without `/` and `*`");
    else if (options === undefined) leaveOut("stdio or http");
    else servers.push([name, options]);
  }
  return { servers: Object.fromEntries(servers), problems };
}

function assertDistinct(names: readonly string[]): void {
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice === undefined) return;
  throw RequestError.invalidParams(
    undefined,
    `expected mcpServers with different names, got two with ${JSON.stringify(twice.slice(0, 128))}`,
  );
}

/** Undefined: it has another transport. */
function optionsOf(server: McpServer): McpServerOptions | undefined {
  if (!("type" in server)) {
    const { command, args, env } = server;
    return { command, args, env: recordOf(env) };
  }
  return server.type === "http" ? { url: server.url, headers: recordOf(server.headers) } : undefined;
}

const recordOf = (pairs: readonly { readonly name: string; readonly value: string }[]) =>
  Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
