import { loginMcp, McpLoginError } from "../../adapters/index.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import { mcpLogins } from "../run/index.ts";
import { configFolder } from "../settings/config-folder.ts";
import { runMcpServers } from "../settings/mcp.ts";
import { printable } from "../show/index.ts";
import { findServer, loadMcp, type McpFlags } from "./mcp.ts";

/** `mcp login`: prints where the user logs in, and waits for that. @throws CliError */
export async function loginToMcp(name: string, flags: McpFlags, io: Io): Promise<string> {
  const loaded = await loadMcp(flags, io);
  findServer(name, loaded);
  const { servers, problems } = runMcpServers(loaded, flags.workspace, io);
  for (const problem of problems) io.stderr.write(`${printable(problem)}\n`);
  const server = servers[name];
  if (server === undefined) throw new CliError(`the MCP server ${printable(name)} is left out or disabled.`);
  if ("command" in server)
    throw new CliError(`the MCP server ${printable(name)} is a process: only one with a url has a login.`);
  const open = (address: URL): void => {
    io.stdout.write(
      `To log in to ${printable(name)}, open this address in a browser of this machine. Ctrl-C cancels.\n${address.href}\n`,
    );
  };
  try {
    await loginMcp({ name, server, logins: mcpLogins(configFolder(io)), open });
  } catch (error) {
    throw error instanceof McpLoginError ? new CliError(printable(error.message), { cause: error }) : error;
  }
  return `Logged in to ${printable(name)}. To try it: signalbox mcp test ${printable(name)}\n`;
}

/** `mcp logout`. The authorization server is not informed. @throws CliError if there is no login */
export async function logoutOfMcp(name: string, io: Io): Promise<string> {
  if (await mcpLogins(configFolder(io)).remove(name)) return `Forgot the login to ${printable(name)}.\n`;
  throw new CliError(
    `there is no login to an MCP server ${printable(name)}. signalbox mcp list names those.`,
  );
}
