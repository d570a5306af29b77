import { type Command, Option } from "commander";
import type { Io } from "../io.ts";
import type { ConfigShowFlags, ConfigTrustFlags, WorkspaceFlags } from "./config.ts";
import type { ExplainFlags } from "./permissions.ts";
import { ALLOW, DENY } from "./run-flags.ts";

const WORKSPACE = [
  "-w, --workspace <dir>",
  "workspace whose project settings are meant (default: this folder)",
] as const;

export function addConfig(program: Command, io: Io, end: (code: number) => void): void {
  const config = program
    .command("config")
    .description("show settings, and trust those of a project (docs/guide/settings.md)");
  config
    .command("show")
    .description("show the settings in effect")
    .option(...WORKSPACE)
    .option("--origin", "show the file and line, the variable or the flag of each setting")
    .addOption(new Option("--format <format>", "output format").choices(["text", "json"]).default("text"))
    .action(async (flags: ConfigShowFlags) => {
      const { showConfig } = await import("./config.ts");
      io.stdout.write(await showConfig(flags, io));
    });
  config
    .command("schema")
    .description("print the JSON Schema of a settings file")
    .action(async () => {
      const { formatSchema } = await import("./config.ts");
      io.stdout.write(formatSchema());
    });
  config
    .command("path")
    .description("print the paths of the settings files")
    .option(...WORKSPACE)
    .action(async (flags: WorkspaceFlags) => {
      const { formatPaths } = await import("./config.ts");
      io.stdout.write(formatPaths(flags, io));
    });
  config
    .command("trust")
    .description("let the settings of a project take effect, until one of its files changes")
    .option(...WORKSPACE)
    .option("--yes", "don't ask for confirmation")
    .action(async (flags: ConfigTrustFlags) => {
      const { trustProject } = await import("./config.ts");
      end(await trustProject(flags, io));
    });
  config
    .command("untrust")
    .description("trust the settings of a project no longer")
    .option(...WORKSPACE)
    .action(async (flags: WorkspaceFlags) => {
      const { untrustProject } = await import("./config.ts");
      io.stdout.write(await untrustProject(flags, io));
    });
}

export function addPermissions(program: Command, io: Io): void {
  program
    .command("permissions")
    .description("explain what the rules decide (docs/guide/settings.md)")
    .command("explain")
    .description("show the verdict on a tool call, why, and the rules that match")
    .argument("[command]", "a command line, as of execute_command")
    .option("--tool <name>", "name of a tool (default: execute_command with a command, else read_file)")
    .option("--path <path>", "path of a file in the workspace")
    .option("--url <url>", "URL, as of web_fetch")
    .option("--mcp <server/tool>", "tool of an MCP server")
    .option(...ALLOW)
    .option(...DENY)
    .option(...WORKSPACE)
    .addOption(new Option("--format <format>", "output format").choices(["text", "json"]).default("text"))
    .action(async (command: string | undefined, flags: ExplainFlags) => {
      const { explainPermissions } = await import("./permissions.ts");
      io.stdout.write(await explainPermissions(command, flags, io));
    });
}
