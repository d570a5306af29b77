import path from "node:path";
import { connectMcp, type McpLogins, type McpServerOptions } from "../../adapters/index.ts";
import {
  addMcpServer,
  type LoadedSettings,
  loadSettings,
  McpServer,
  PROJECT_FILES,
  removeMcpServer,
  type SettingEntry,
  userSettingsFile,
} from "../../settings/index.ts";
import { CliError, EXIT } from "../error.ts";
import type { Io } from "../io.ts";
import { formatMcpStatus, mcpLogins } from "../run/index.ts";
import { configFolder } from "../settings/config-folder.ts";
import { withSettingsErrors } from "../settings/load.ts";
import { masked } from "../settings/masked.ts";
import { runMcpServers } from "../settings/mcp.ts";
import { printable } from "../show/index.ts";

export interface McpFlags {
  readonly workspace?: string;
}

export interface McpFileFlags extends McpFlags {
  /** Whether the settings of the project are meant. */
  readonly project?: true;
}

export interface McpAddFlags extends McpFileFlags {
  readonly url?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly cwd?: string;
}

/** `mcp list`: a line for each server in effect. */
export async function listMcp(flags: McpFlags, io: Io): Promise<string> {
  const loaded = await loadMcp(flags, io);
  const entries = serversIn(loaded);
  if (entries.length === 0)
    return "No MCP servers. To add one: signalbox mcp add NAME COMMAND [ARGUMENT...]\n";
  const { servers } = runMcpServers(loaded, flags.workspace, io);
  const logins = mcpLogins(configFolder(io));
  const lines = entries.map(async (entry) => {
    const {
      path: [, name = ""],
      origin,
    } = entry;
    return `${formatServer(entry)}  (${printable(origin)})${await formatLogin(name, servers[name], logins)}\n`;
  });
  return (await Promise.all(lines)).join("");
}

/** `mcp get`: one server as its settings have it. @throws CliError if there is none */
export async function getMcp(name: string, flags: McpFlags, io: Io): Promise<string> {
  const entry = findServer(name, await loadMcp(flags, io));
  return `${printable(JSON.stringify(masked(entry).value, undefined, 2))}\nFrom ${printable(entry.origin)}\n`;
}

/** `mcp add`: writes the server to the settings of the user, or of the project. */
export async function addMcp(
  name: string,
  [command, ...args]: readonly string[],
  flags: McpAddFlags,
  io: Io,
): Promise<string> {
  const file = fileOf(flags, io);
  const server = McpServer.safeParse({
    ...(command !== undefined && { command }),
    ...(args.length > 0 && { args }),
    ...(flags.url !== undefined && { url: flags.url }),
    ...(flags.env !== undefined && { env: pairs(flags.env, "=", "--env") }),
    ...(flags.header !== undefined && { headers: pairs(flags.header, ":", "--header") }),
    ...(flags.cwd !== undefined && { cwd: flags.cwd }),
  });
  if (!server.success)
    throw new CliError(`can't add the server: ${server.error.issues[0]?.message ?? "it is not valid"}`);
  await withSettingsErrors(() => addMcpServer(file, name, server.data));
  const trust = flags.project === true ? " To let it take effect: signalbox config trust." : "";
  return `Added ${printable(name)} to ${printable(file)}.${trust} To try it: signalbox mcp test ${printable(name)}\n`;
}

/** `mcp remove`. @throws CliError if the file has no such server */
export async function removeMcp(name: string, flags: McpFileFlags, io: Io): Promise<string> {
  const file = fileOf(flags, io);
  const { before, after } = await withSettingsErrors(() => removeMcpServer(file, name));
  if (before !== after) return `Removed ${printable(name)} from ${printable(file)}.\n`;
  throw new CliError(
    `${printable(file)} has no MCP server ${printable(name)}. signalbox mcp list names the files.`,
  );
}

/** `mcp test`: connects to one server, or to all, and lists the tools. Returns the exit code. */
export async function testMcp(name: string | undefined, flags: McpFlags, io: Io): Promise<number> {
  const loaded = await loadMcp(flags, io);
  if (name !== undefined) findServer(name, loaded);
  const { servers, problems, cwd } = runMcpServers(loaded, flags.workspace, io);
  const tested = Object.entries(servers).filter(([each]) => name === undefined || each === name);
  for (const problem of problems) io.stderr.write(`${printable(problem)}\n`);
  const mcp = await connectMcp({
    servers: Object.fromEntries(tested),
    cwd,
    logins: mcpLogins(configFolder(io)),
  });
  try {
    for (const status of mcp.status) io.stdout.write(`${printable(formatMcpStatus(status))}\n`);
    for (const tool of mcp.tools()) io.stdout.write(`  ${printable(tool.name)}\n`);
    const isReady = mcp.status.every(({ state }) => state === "ready");
    return isReady && problems.length === 0 ? EXIT.done : EXIT.failed;
  } finally {
    await mcp.close();
  }
}

export const loadMcp = ({ workspace = "." }: McpFlags, io: Io): Promise<LoadedSettings> =>
  withSettingsErrors(() => loadSettings({ configDir: configFolder(io), workspace, env: io.env }));

const fileOf = ({ project, workspace = "." }: McpFileFlags, io: Io): string =>
  project === true ? path.resolve(workspace, PROJECT_FILES[0]) : userSettingsFile(configFolder(io));

const serversIn = ({ entries }: LoadedSettings): readonly SettingEntry[] =>
  entries.filter(({ path: [first] }) => first === "mcpServers");

/** @throws CliError if no server has this name */
export function findServer(name: string, loaded: LoadedSettings): SettingEntry {
  const entries = serversIn(loaded);
  const entry = entries.find(({ path: [, each] }) => each === name);
  if (entry !== undefined) return entry;
  const names = entries.map(({ path: [, each] }) => each).join(", ");
  const advice = names === "" ? "there is none. To add one: signalbox mcp add" : `expected one of ${names}.`;
  throw new CliError(printable(`no MCP server has the name ${name}: ${advice}`));
}

/** A server in a line, without what may be secret. */
function formatServer({ path: [, name = ""], value }: SettingEntry): string {
  const { command, args = [], url, disabled } = McpServer.parse(value);
  const target = command === undefined ? (url ?? "") : [command, ...args].join(" ");
  return printable(`${name}: ${target}${disabled === true ? " (disabled)" : ""}`).replaceAll("\n", " ");
}

/** Whether there is a login, where that is known without a connection. */
async function formatLogin(
  name: string,
  server: McpServerOptions | undefined,
  logins: McpLogins,
): Promise<string> {
  if (server === undefined || "command" in server) return "";
  if ((await logins.get({ name, url: server.url })) !== undefined) return "  logged in";
  return server.oauth === undefined ? "" : `  needs a login: signalbox mcp login ${printable(name)}`;
}

/** Names and values, as of `NAME=VALUE`. @throws CliError for one without the mark */
function pairs(given: readonly string[], mark: string, flag: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((pair) => {
      const at = pair.indexOf(mark);
      if (at < 1) throw new CliError(`expected ${flag} NAME${mark}VALUE, received a text without '${mark}'.`);
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}
