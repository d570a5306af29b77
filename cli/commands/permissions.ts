import { openWorkspace } from "../../adapters/workspace/workspace.ts";
import { printable } from "../../client/printable/printable.ts";
import { DEFAULT_MODE } from "../../machines/task/mode.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { selectSandbox } from "../../settings/sandbox.ts";
import { builtinTools, OPTIONAL_TOOLS } from "../../tools/builtin/builtin-tools.ts";
import { formatError } from "../../tools/error.ts";
import { explainJudges, type JudgedExplanation } from "../../tools/judge/explain.ts";
import { createModes } from "../../tools/modes/modes.ts";
import type { PolicyCall } from "../../tools/policy/policy.ts";
import { createRegistry } from "../../tools/registry.ts";
import type { Description, Tool } from "../../tools/tool.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import { PROJECT_FOLDER, textOrJson } from "../options.ts";
import { defineReplay } from "../permissions/replay-command.ts";
import { configFolder } from "../settings/config-folder.ts";
import { loadRunSettings } from "../settings/load.ts";
import { readRunModes } from "../settings/modes.ts";
import { formatIgnored } from "../settings/notice.ts";
import { runPermissions } from "../settings/policy.ts";
import { ALLOW, DENY } from "../settings/run-flags.ts";
import type { Define } from "./command.ts";

interface ExplainFlags {
  readonly tool?: string;
  readonly path?: string;
  readonly url?: string;
  readonly mcp?: string;
  readonly workspace?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly format: "text" | "json";
}

export const define: Define = (permissions, { io, print }) => {
  defineReplay(permissions, { io, print });
  permissions
    .command("explain")
    .description("show the verdict on a tool call, why, and the rules that match")
    .argument("[command]", "a command line, as of execute_command")
    .option("--tool <name>", "name of a tool (default: execute_command with a command, else read_file)")
    .option("--path <path>", "path of a file in the workspace")
    .option("--url <url>", "URL, as of web_fetch")
    .option("--mcp <server/tool>", "tool of an MCP server")
    .option(...ALLOW)
    .option(...DENY)
    .option(...PROJECT_FOLDER)
    .addOption(textOrJson())
    .action(async (command: string | undefined, flags: ExplainFlags) =>
      print(await explainPermissions(command, flags, io)),
    );
};

/** `permissions explain`: the verdict on a call of a tool, why, each rule that matches, and the opinion of each judge. */
async function explainPermissions(command: string | undefined, flags: ExplainFlags, io: Io): Promise<string> {
  const { workspace: folder, format } = flags;
  const workspace = await openWorkspace(folder ?? ".").catch((error: unknown) => {
    throw new CliError(`can't use the workspace: ${formatError(error)}`, { cause: error });
  });
  const loaded = await loadRunSettings(flags, io);
  io.stderr.write(formatIgnored(loaded, folder));
  const { tool, description } = await callOf(command, flags, workspace);
  const { mode: permissionMode, sources } = runPermissions(loaded, false);
  const { mode = DEFAULT_MODE } = loaded.settings;
  const modes = createModes(await readRunModes(loaded));
  const explanation = explainJudges(
    { tool, input: {} },
    {
      ...{ workspace: workspace.root, description },
      isContained: selectSandbox(loaded, configFolder(io)).commands?.allowCommands === true,
      permissions: { mode: permissionMode, rules: [] },
    },
    { use: { mode, modes }, sources, permissionMode },
  );
  return format === "json" ? `${JSON.stringify(explanation)}\n` : formatExplanation(explanation);
}

interface ExplainedCall {
  readonly tool: PolicyCall["tool"];
  readonly description: Description;
}

/** The call that the arguments describe. */
async function callOf(
  command: string | undefined,
  { tool: name, path, url, mcp }: ExplainFlags,
  workspace: Workspace,
): Promise<ExplainedCall> {
  if ([command, path, url, mcp].filter((each) => each !== undefined).length > 1)
    throw new CliError("too much to explain: expected one of a command line, --path, --url and --mcp.");
  if (mcp !== undefined) return mcpCall(mcp);
  if (url !== undefined) return fetchCall(findTool(name ?? "web_fetch"), url, workspace);
  if (command === undefined && path === undefined && name === undefined)
    throw new CliError(
      'nothing to explain: expected a command line, --path, --url, --mcp or --tool. Such as: signalbox permissions explain "npm test"',
    );
  const tool = findTool(name ?? (command === undefined ? "read_file" : "execute_command"));
  const paths = path === undefined ? [] : [await workspace.resolve(path)];
  const text = command ?? path ?? tool.name;
  return { tool, description: { text, paths, ...(command !== undefined && { command }) } };
}

/** The call as the tool describes it: of the URL that would be fetched. */
async function fetchCall(tool: Tool, url: string, workspace: Workspace): Promise<ExplainedCall> {
  const prepared = tool.prepare({ url });
  if (!prepared.ok) throw new CliError(prepared.error);
  return { tool, description: await prepared.call.describe({ workspace }) };
}

function mcpCall(named: string): ExplainedCall {
  const [, server, tool] = /^([^/]+)\/(.+)$/s.exec(named) ?? [];
  if (server === undefined || tool === undefined)
    throw new CliError(`expected --mcp SERVER/TOOL, received ${printable(named)}.`);
  const called = { name: tool, group: "mcp", effect: "executes", ask: "use_mcp_server" } as const;
  return { tool: called, description: { text: named, paths: [], mcp: { server, tool } } };
}

function findTool(name: string): Tool {
  const tools = builtinTools({ include: OPTIONAL_TOOLS });
  const tool = createRegistry(tools).find(name);
  if (tool !== undefined) return tool;
  throw new CliError(
    `no tool has the name ${printable(name)}: expected one of ${tools.map((each) => each.name).join(", ")}.`,
  );
}

function formatExplanation({ verdict, because, matches, judges }: JudgedExplanation): string {
  const lines = matches.map(
    ({ level, rule, origin, matches: how }) =>
      `  ${level} ${rule}  (${origin})${how === "yes" ? "" : how === "part" ? ": matches only a part" : ": may match"}`,
  );
  const rules = lines.length === 0 ? ["No rule matches."] : ["Rules that match:", ...lines];
  const opinions = judges.map(
    ({ judge, level, because }) =>
      `  ${judge}: ${level === null ? (because ?? "no opinion") : `${level}: ${because}`}`,
  );
  const all = [`${verdict.kind}: ${because}`, ...rules, "Judges:", ...opinions];
  return `${printable(all.join("\n"))}\n`;
}
