import path from "node:path";
import { Command, type ParseOptionsResult } from "commander";
import { loginMcp } from "../../adapters/mcp/login.ts";
import { McpLoginError } from "../../adapters/mcp/login-error.ts";
import type { McpLogins } from "../../adapters/mcp/logins.ts";
import type { McpServerOptions } from "../../adapters/mcp/options.ts";
import { connectMcp } from "../../adapters/mcp/servers.ts";
import { printable } from "../../client/printable/printable.ts";
import type { SettingEntry } from "../../settings/entry.ts";
import { type LoadedSettings, loadSettings, userSettingsFile } from "../../settings/load.ts";
import { addMcpServer, removeMcpServer } from "../../settings/mcp-edit.ts";
import { McpServer } from "../../settings/schema.ts";
import { PROJECT_FILES } from "../../settings/trust.ts";
import { repeatable } from "../arguments.ts";
import { CliError, EXIT } from "../error.ts";
import type { Io } from "../io.ts";
import { PROJECT_FOLDER } from "../options.ts";
import { formatMcpStatus, mcpLogins } from "../run/mcp.ts";
import { configFolder } from "../settings/config-folder.ts";
import { withSettingsErrors } from "../settings/load.ts";
import { masked } from "../settings/masked.ts";
import { runMcpServers } from "../settings/mcp.ts";
import type { Define } from "./command.ts";

interface McpFlags {
  readonly workspace?: string;
}

interface McpFileFlags extends McpFlags {
  /** Whether the settings of the project are meant. */
  readonly project?: true;
}

interface McpAddFlags extends McpFileFlags {
  readonly url?: string;
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly cwd?: string;
}

const NAME = ["<name>", "name of the server"] as const;
const PROJECT = ["--project", "use the project's settings instead of the user's"] as const;

export const define: Define = (mcp, { io, end, print }) => {
  mcp.enablePositionalOptions();
  mcp
    .command("list")
    .description("list the servers in effect, and where each is set")
    .option(...PROJECT_FOLDER)
    .action(async (flags: McpFlags) => print(await listMcp(flags, io)));
  mcp
    .command("get")
    .description("show the settings of a server")
    .argument(...NAME)
    .option(...PROJECT_FOLDER)
    .action(async (name: string, flags: McpFlags) => print(await getMcp(name, flags, io)));
  const add = new AddCommand("add").copyInheritedSettings(mcp);
  mcp.addCommand(add);
  add
    .description("add a server, or replace it; options stand before the command")
    .argument(...NAME)
    .argument("[command...]", "the program of the server, and its arguments")
    .option("--url <url>", "URL of a server that is not a process")
    .option("-e, --env <name=value>", "variable of its environment", repeatable)
    .option("-H, --header <name:value>", "header of its requests", repeatable)
    .option("--cwd <dir>", "folder that it starts in (default: the workspace)")
    .option(...PROJECT)
    .option(...PROJECT_FOLDER)
    .passThroughOptions()
    .action(async (name: string, command: readonly string[], flags: McpAddFlags) =>
      print(await addMcp(name, command, flags, io)),
    );
  mcp
    .command("remove")
    .description("remove a server")
    .argument(...NAME)
    .option(...PROJECT)
    .option(...PROJECT_FOLDER)
    .action(async (name: string, flags: McpFileFlags) => print(await removeMcp(name, flags, io)));
  mcp
    .command("test")
    .description("connect to a server, or to all, and list the tools")
    .argument("[name]", "name of the server")
    .option(...PROJECT_FOLDER)
    .action(async (name: string | undefined, flags: McpFlags) => end(await testMcp(name, flags, io)));
  mcp
    .command("login")
    .description("log in to a server over HTTP in a browser of this machine")
    .argument(...NAME)
    .option(...PROJECT_FOLDER)
    .action(async (name: string, flags: McpFlags) => print(await loginToMcp(name, flags, io)));
  mcp
    .command("logout")
    .description("forget the logins to the servers of a name")
    .argument(...NAME)
    .action(async (name: string) => print(await logoutOfMcp(name, io)));
};

/** A command whose options stand before its second argument; what follows belongs to another program. */
class AddCommand extends Command {
  /** Parse up to the name, then up to the program: commander stops at the first argument. */
  override parseOptions(args: string[]): ParseOptionsResult {
    const { operands, unknown } = super.parseOptions(args);
    const [name, ...others] = operands;
    if (name === undefined) return { operands, unknown };
    const rest = super.parseOptions([...others, ...unknown]);
    return { operands: [name, ...rest.operands], unknown: rest.unknown };
  }
}

/** `mcp list`: a line for each server in effect. */
async function listMcp(flags: McpFlags, io: Io): Promise<string> {
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
async function getMcp(name: string, flags: McpFlags, io: Io): Promise<string> {
  const entry = findServer(name, await loadMcp(flags, io));
  return `${printable(JSON.stringify(masked(entry).value, undefined, 2))}\nFrom ${printable(entry.origin)}\n`;
}

/** `mcp add`: writes the server to the settings of the user, or of the project. */
async function addMcp(
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
async function removeMcp(name: string, flags: McpFileFlags, io: Io): Promise<string> {
  const file = fileOf(flags, io);
  const { before, after } = await withSettingsErrors(() => removeMcpServer(file, name));
  if (before !== after) return `Removed ${printable(name)} from ${printable(file)}.\n`;
  throw new CliError(
    `${printable(file)} has no MCP server ${printable(name)}. signalbox mcp list names the files.`,
  );
}

/** `mcp test`: connects to one server, or to all, and lists the tools. Returns the exit code. */
async function testMcp(name: string | undefined, flags: McpFlags, io: Io): Promise<number> {
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

const loadMcp = ({ workspace = "." }: McpFlags, io: Io): Promise<LoadedSettings> =>
  withSettingsErrors(() => loadSettings({ configDir: configFolder(io), workspace, env: io.env }));

const fileOf = ({ project, workspace = "." }: McpFileFlags, io: Io): string =>
  project === true ? path.resolve(workspace, PROJECT_FILES[0]) : userSettingsFile(configFolder(io));

const serversIn = ({ entries }: LoadedSettings): readonly SettingEntry[] =>
  entries.filter(({ path: [first] }) => first === "mcpServers");

/** @throws CliError if no server has this name */
function findServer(name: string, loaded: LoadedSettings): SettingEntry {
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

/** The state of the login, where that is known without a connection. */
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

/** `mcp login`: prints where the user logs in, and waits for that. @throws CliError */
async function loginToMcp(name: string, flags: McpFlags, io: Io): Promise<string> {
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
async function logoutOfMcp(name: string, io: Io): Promise<string> {
  if (await mcpLogins(configFolder(io)).remove(name)) return `Forgot the login to ${printable(name)}.\n`;
  throw new CliError(
    `there is no login to an MCP server ${printable(name)}. signalbox mcp list names those.`,
  );
}
