import path from "node:path";
import { fileApprovals } from "../../adapters/mcp/approvals.ts";
import { fileLogins, type McpLogins } from "../../adapters/mcp/logins.ts";
import type { McpServerStatus } from "../../adapters/mcp/server.ts";
import { connectMcp, type McpServers } from "../../adapters/mcp/servers.ts";
import { printable } from "../../client/printable/printable.ts";
import type { TaskOptions } from "../../runtime/options.ts";
import type { Io } from "../io.ts";
import type { RunMcpServers } from "../settings/mcp.ts";
import { withPrompts } from "./mcp-prompts.ts";
import type { McpState, RunCommands } from "./settings.ts";

/** The MCP servers of a run. */
export interface OpenMcp {
  readonly options: Pick<TaskOptions, "dynamicTools">;
  /** The commands of files with the prompts of the servers. Undefined where nobody can use them. */
  commands(files: RunCommands | undefined): RunCommands | undefined;
  /** The servers now. */
  states(): readonly McpState[];
  close(): Promise<void>;
}

/** Write warnings to stderr. */
export const warnOn =
  ({ stderr }: Pick<Io, "stderr">) =>
  (text: string): void => {
    stderr.write(`[CLI] Warning: ${text}\n`);
  };

/**
 * Connect to the MCP servers of a run. Without any, nothing is loaded.
 *
 * @param warn called for each that can't be used or is not ready
 * @param signal closes them while they connect
 * @throws the reason of `signal`
 */
export async function openMcp(
  { servers, problems, cwd }: RunMcpServers,
  configDir: string,
  warn: (text: string) => void,
  signal?: AbortSignal,
): Promise<OpenMcp> {
  for (const problem of problems) warn(printable(problem));
  if (Object.keys(servers).length === 0)
    return { options: {}, commands: (files) => files, states: () => [], close: async () => {} };
  const approvals = await fileApprovals(approvalsFile(configDir));
  const logins = mcpLogins(configDir);
  const mcp = await connectMcp({ servers, cwd, approvals, logins, ...(signal !== undefined && { signal }) });
  for (const status of mcp.status) if (status.reason !== undefined) warn(printable(formatMcpStatus(status)));
  return {
    options: { dynamicTools: mcp.tools },
    commands: (files) => files && withPrompts(files, mcp),
    states: () => mcp.status.map((status) => ({ status, tools: toolsOf(mcp, status.name) })),
    close: () => mcp.close(),
  };
}

/** The names of the tools of a server, as the server has them. */
const toolsOf = ({ tools }: Pick<McpServers, "tools">, server: string): readonly string[] =>
  tools().flatMap(({ displayName }) =>
    displayName.startsWith(`${server}/`) ? displayName.slice(server.length + 1) : [],
  );

/** The definitions that calls were approved with. */
const approvalsFile = (configDir: string): string => path.join(configDir, "mcp-approvals.json");

/** The logins of the user to servers over HTTP. */
export const mcpLogins = (configDir: string): McpLogins => fileLogins(path.join(configDir, "mcp-logins"));

const STATES: Readonly<Record<McpServerStatus["state"], string>> = {
  connecting: "is connecting",
  ready: "is ready",
  waiting: "is not ready, and is tried again",
  failed: "is not ready",
  closed: "is closed",
};

/** The notice of a wait before the first screen: a server may take seconds to start. Empty without servers. */
export function formatConnecting({ servers }: Pick<RunMcpServers, "servers">): string {
  const names = Object.keys(servers);
  return names.length === 0 ? "" : printable(`Connecting to ${names.join(", ")}\n`);
}

/** The state of a server in a sentence, and why. */
export const formatMcpStatus = ({ name, state, reason }: McpServerStatus): string =>
  [`the MCP server ${name} ${STATES[state]}.`, ...(reason === undefined ? [] : [reason])].join(" ");
