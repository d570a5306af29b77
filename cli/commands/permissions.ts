import { openWorkspace } from "../../adapters/index.ts";
import {
  builtinTools,
  createRegistry,
  type Description,
  formatError,
  OPTIONAL_TOOLS,
  type PermissionExplanation,
  type PolicyCall,
  type Tool,
  type Workspace,
} from "../../tools/index.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import { loadRunSettings } from "../settings/load.ts";
import { formatIgnored } from "../settings/notice.ts";
import { runPermissions } from "../settings/policy.ts";
import { printable } from "../show/index.ts";

export interface ExplainFlags {
  readonly tool?: string;
  readonly path?: string;
  readonly url?: string;
  readonly mcp?: string;
  readonly workspace?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly format: "text" | "json";
}

/** `permissions explain`: the verdict on a call of a tool, why, and each rule that matches. */
export async function explainPermissions(
  command: string | undefined,
  flags: ExplainFlags,
  io: Io,
): Promise<string> {
  const { workspace: folder, allow = [], deny = [], format } = flags;
  const workspace = await openWorkspace(folder ?? ".").catch((error: unknown) => {
    throw new CliError(`can't use the workspace: ${formatError(error)}`, { cause: error });
  });
  const loaded = await loadRunSettings(
    { ...(folder !== undefined && { workspace: folder }), dataDir: "", checkpoints: true, allow, deny },
    io,
  );
  io.stderr.write(formatIgnored(loaded, folder));
  const { tool, description } = await callOf(command, flags, workspace);
  const { policy, mode } = runPermissions(loaded, false);
  const explanation = policy.explain(
    { tool, input: {} },
    { workspace: workspace.root, description, permissions: { mode, rules: [] } },
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

function formatExplanation({ verdict, because, matches }: PermissionExplanation): string {
  const lines = matches.map(
    ({ level, rule, origin, matches: how }) =>
      `  ${level} ${rule}  (${origin})${how === "yes" ? "" : how === "part" ? ": matches only a part" : ": may match"}`,
  );
  const rules = lines.length === 0 ? ["No rule matches."] : ["Rules that match:", ...lines];
  return `${printable([`${verdict.kind}: ${because}`, ...rules].join("\n"))}\n`;
}
