import { Command, type ParseOptionsResult } from "commander";
import type { Io } from "../io.ts";
import type { McpAddFlags, McpFileFlags, McpFlags } from "./mcp.ts";

const WORKSPACE = [
  "-w, --workspace <dir>",
  "workspace whose project settings are meant (default: this folder)",
] as const;
const NAME = ["<name>", "name of the server"] as const;
const PROJECT = ["--project", "the settings of the project, not those of the user"] as const;

/** Each use of the option adds one. */
const more = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

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

export function addMcpCommands(program: Command, io: Io, end: (code: number) => void): void {
  const mcp = program
    .command("mcp")
    .description("the MCP servers whose tools a task has (docs/guide/mcp.md)")
    .enablePositionalOptions();
  mcp
    .command("list")
    .description("list the servers in effect, and where each is set")
    .option(...WORKSPACE)
    .action(async (flags: McpFlags) => {
      const { listMcp } = await import("./mcp.ts");
      io.stdout.write(await listMcp(flags, io));
    });
  mcp
    .command("get")
    .description("show the settings of a server")
    .argument(...NAME)
    .option(...WORKSPACE)
    .action(async (name: string, flags: McpFlags) => {
      const { getMcp } = await import("./mcp.ts");
      io.stdout.write(await getMcp(name, flags, io));
    });
  const add = new AddCommand("add").copyInheritedSettings(mcp);
  mcp.addCommand(add);
  add
    .description("add a server, or replace it; options stand before the command")
    .argument(...NAME)
    .argument("[command...]", "the program of the server, and its arguments")
    .option("--url <url>", "URL of a server that is not a process")
    .option("-e, --env <name=value>", "variable of its environment", more)
    .option("-H, --header <name:value>", "header of its requests", more)
    .option("--cwd <dir>", "folder that it starts in (default: the workspace)")
    .option(...PROJECT)
    .option(...WORKSPACE)
    .passThroughOptions()
    .action(async (name: string, command: readonly string[], flags: McpAddFlags) => {
      const { addMcp } = await import("./mcp.ts");
      io.stdout.write(await addMcp(name, command, flags, io));
    });
  mcp
    .command("remove")
    .description("remove a server")
    .argument(...NAME)
    .option(...PROJECT)
    .option(...WORKSPACE)
    .action(async (name: string, flags: McpFileFlags) => {
      const { removeMcp } = await import("./mcp.ts");
      io.stdout.write(await removeMcp(name, flags, io));
    });
  mcp
    .command("test")
    .description("connect to a server, or to all, and list the tools")
    .argument("[name]", "name of the server")
    .option(...WORKSPACE)
    .action(async (name: string | undefined, flags: McpFlags) => {
      const { testMcp } = await import("./mcp.ts");
      end(await testMcp(name, flags, io));
    });
  mcp
    .command("login")
    .description("log in to a server over HTTP in a browser of this machine")
    .argument(...NAME)
    .option(...WORKSPACE)
    .action(async (name: string, flags: McpFlags) => {
      const { loginToMcp } = await import("./mcp-login.ts");
      io.stdout.write(await loginToMcp(name, flags, io));
    });
  mcp
    .command("logout")
    .description("forget the logins to the servers of a name")
    .argument(...NAME)
    .action(async (name: string) => {
      const { logoutOfMcp } = await import("./mcp-login.ts");
      io.stdout.write(await logoutOfMcp(name, io));
    });
}
