import { openWorkspace } from "../../adapters/index.ts";
import {
  builtinTools,
  createRegistry,
  formatError,
  type PermissionExplanation,
  type Tool,
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
  readonly workspace?: string;
  readonly format: "text" | "json";
}

/** `permissions explain`: the verdict on a call of a built-in tool, why, and each rule that matches. */
export async function explainPermissions(
  command: string | undefined,
  flags: ExplainFlags,
  io: Io,
): Promise<string> {
  const { tool: name, path, workspace: folder, format } = flags;
  if (command === undefined && path === undefined && name === undefined)
    throw new CliError(
      'nothing to explain: expected a command line, --path or --tool. Such as: signalbox permissions explain "npm test"',
    );
  const workspace = await openWorkspace(folder ?? ".").catch((error: unknown) => {
    throw new CliError(`can't use the workspace: ${formatError(error)}`, { cause: error });
  });
  const loaded = await loadRunSettings(
    { ...(folder !== undefined && { workspace: folder }), dataDir: "", checkpoints: true },
    io,
  );
  io.stderr.write(formatIgnored(loaded, folder));
  const tool = findTool(name ?? (command === undefined ? "read_file" : "execute_command"));
  const description = {
    text: command ?? path ?? tool.name,
    paths: await Promise.all((path === undefined ? [] : [path]).map((each) => workspace.resolve(each))),
    ...(command !== undefined && { command }),
  };
  const { policy, mode } = runPermissions(loaded, false);
  const explanation = policy.explain(
    { tool, input: {} },
    { workspace: workspace.root, description, permissions: { mode, rules: [] } },
  );
  return format === "json" ? `${JSON.stringify(explanation)}\n` : formatExplanation(explanation);
}

function findTool(name: string): Tool {
  const tools = builtinTools();
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
