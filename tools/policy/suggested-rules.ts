import { splitCommand } from "../command-line/command-parts.ts";
import { judgedWords } from "../command-line/wrapped-program.ts";
import type { Description, Tool } from "../tool.ts";
import { openRule } from "./open-rules.ts";
import { ruleError } from "./permission-rule.ts";
import type { Policy, PolicyCall, PolicyFacts } from "./policy.ts";

/**
 * Rules with which the policy would allow calls like this one, the narrowest first. Empty where no single rule does it,
 * such as for a protected file, a command line of several commands, or a call that another rule asks about.
 */
export function suggestedRules({ explain }: Policy, call: PolicyCall, facts: PolicyFacts): readonly string[] {
  if (explain === undefined) return [];
  const { mode, rules } = facts.permissions ?? { mode: "ask", rules: [] };
  return [...new Set(candidatesFor(call.tool, facts.description))].filter((rule) => {
    if (ruleError(rule) !== undefined) return false;
    const permissions = { mode, rules: [...rules, { level: "allow", rule }] } as const;
    return explain(call, { ...facts, permissions }).verdict.kind === "allow";
  });
}

function candidatesFor(
  { name, effect, group }: Pick<Tool, "name" | "effect" | "group">,
  { paths, command, fetches, mcp, continues }: Description,
): readonly string[] {
  if (effect === "delegates") return ["subtask"];
  if (mcp !== undefined) return [`mcp(${mcp.server}/${mcp.tool})`, `mcp(${mcp.server}/*)`];
  if (continues === true) return ["browser"];
  if (fetches !== undefined) return [`fetch(${fetches})`];
  if (command !== undefined && effect === "executes") return commandRules(command);
  const [path, ...others] = paths;
  const kind = effect === "writes" ? "edit" : "read";
  if (path === undefined || others.length > 0 || (kind === "read" && group !== "read"))
    return [`tool(${name})`];
  const folder = path.path.includes("/") ? `${path.path.slice(0, path.path.lastIndexOf("/"))}/**` : "**";
  return [`${kind}(${path.path})`, `${kind}(${folder})`];
}

/** The same command, then the program that it runs and its subcommand with any arguments. */
function commandRules(command: string): readonly string[] {
  const [part, ...others] = splitCommand(command).parts;
  if (part === undefined || others.length > 0) return [];
  const open = openRule(judgedWords(part.words).map(({ text }) => text));
  return [`command(${command.trim()})`, ...(open === undefined ? [] : [open])];
}
