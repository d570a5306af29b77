import { splitCommand } from "../command-line/command-parts.ts";
import type { Description, Tool } from "../tool.ts";
import { ruleError } from "./permission-rule.ts";
import { permissions } from "./permissions.ts";
import type { PolicyCall, PolicyFacts } from "./policy.ts";

/**
 * Rules that would allow calls like this one, the narrowest first. Empty where no single rule allows it, such as for a
 * protected file or a command line of several commands.
 */
export function suggestedRules(call: PolicyCall, facts: PolicyFacts): readonly string[] {
  const candidates = [...new Set(candidatesFor(call.tool, facts.description))];
  const inAskMode = { ...facts, permissions: { mode: "ask", rules: [] } } as const;
  return candidates.filter((rule) => {
    if (ruleError(rule) !== undefined) return false;
    const { explain } = permissions({ sources: [{ origin: "suggestion", allow: [rule] }] });
    return explain(call, inAskMode).verdict.kind === "allow";
  });
}

function candidatesFor(
  { name, effect, group }: Pick<Tool, "name" | "effect" | "group">,
  { paths, command }: Description,
): readonly string[] {
  if (effect === "delegates") return ["subtask"];
  if (command !== undefined && effect === "executes") return commandRules(command);
  const [path, ...others] = paths;
  const kind = effect === "writes" ? "edit" : "read";
  if (path === undefined || others.length > 0 || (kind === "read" && group !== "read"))
    return [`tool(${name})`];
  const folder = path.path.includes("/") ? `${path.path.slice(0, path.path.lastIndexOf("/"))}/**` : "**";
  return [`${kind}(${path.path})`, `${kind}(${folder})`];
}

/** The same command, then the program and its subcommand with any arguments. */
function commandRules(command: string): readonly string[] {
  const { parts } = splitCommand(command);
  if (parts.length !== 1) return [];
  const words = command.trim().split(/\s+/);
  const [program = "", second] = words;
  const isSubcommand = second !== undefined && /^[a-z][a-z:-]*$/.test(second);
  return [
    `command(${command.trim()})`,
    isSubcommand ? `command(${program} ${second} *)` : `command(${program} *)`,
  ];
}
