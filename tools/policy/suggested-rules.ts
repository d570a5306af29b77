import { splitCommand } from "../command-line/command-parts.ts";
import { judgedWords } from "../command-line/wrapped-program.ts";
import type { Description, Tool } from "../tool.ts";
import { openRule } from "./open-rules.ts";
import { ruleError } from "./permission-rule.ts";
import type { Policy, PolicyCall, PolicyFacts } from "./policy.ts";

/** Maximum commands of a line for which rules are offered. */
const COMMANDS_MAX = 8;

/** Whether the policy would allow the call with these rules besides. */
type Allows = (description: Description, rules: readonly string[]) => boolean;

/**
 * Rules with which the policy would allow calls like this one, the narrowest first. For a line of several commands, the rules
 * of those that nothing allows yet: together they allow it. Empty where no rule does it, such as for a protected file, or a
 * call that another rule asks about.
 */
export function suggestedRules({ explain }: Policy, call: PolicyCall, facts: PolicyFacts): readonly string[] {
  if (explain === undefined) return [];
  const { mode, rules: session } = facts.permissions ?? { mode: "ask", rules: [] };
  const allows: Allows = (description, rules) => {
    const added = rules.map((rule) => ({ level: "allow", rule }) as const);
    const permissions = { mode, rules: [...session, ...added] };
    return explain(call, { ...facts, description, permissions }).verdict.kind === "allow";
  };
  const { description } = facts;
  const commands = commandsIn(call.tool, description);
  return commands.length > 1
    ? rulesOfCommands(new Set(commands), description, allows)
    : allowing(candidatesFor(call.tool, description), description, allows);
}

/** The commands of a call that uses nothing but a command line. */
function commandsIn(
  { effect }: Pick<Tool, "effect">,
  { command, mcp, continues, fetches }: Description,
): readonly string[] {
  const isLine = effect === "executes" && mcp === undefined && continues !== true && fetches === undefined;
  return isLine && command !== undefined ? splitCommand(command).parts.map(({ raw }) => raw) : [];
}

const allowing = (rules: readonly string[], description: Description, allows: Allows): readonly string[] =>
  [...new Set(rules)].filter((rule) => ruleError(rule) === undefined && allows(description, [rule]));

/** The narrowest rule of each command, then the wider ones. */
function rulesOfCommands(
  commands: ReadonlySet<string>,
  line: Description,
  allows: Allows,
): readonly string[] {
  const asked = [...commands]
    .map((command) => ({ ...line, command }))
    .filter((description) => !allows(description, []));
  if (asked.length > COMMANDS_MAX) return [];
  const offered = asked.map((description) =>
    allowing(commandRules(description.command), description, allows),
  );
  const narrowest = offered.flatMap(([rule]) => rule ?? []);
  if (narrowest.length < asked.length || !allows(line, narrowest)) return [];
  return [...new Set([...narrowest, ...offered.flatMap((rules) => rules.slice(1))])];
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
