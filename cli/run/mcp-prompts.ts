import type { McpServers } from "../../adapters/mcp/servers.ts";
import { commandArguments, isCommandName } from "../../settings/commands/command-file.ts";
import { CliError } from "../error.ts";
import type { RunCommand, RunCommands } from "./settings.ts";

type McpPrompts = Pick<McpServers, "prompts" | "prompt">;
type Prompt = ReturnType<McpServers["prompts"]>[number];
type Arguments = NonNullable<Prompt["arguments"]>;

/** The commands of files, and the prompts that MCP servers have now as `/SERVER:PROMPT`. The first one of a name is used. */
export const withPrompts = (files: RunCommands, mcp: McpPrompts): RunCommands => ({
  get list() {
    const all = [...files.list, ...promptCommands(mcp).list];
    return all.filter(({ name }, index) => all.findIndex((each) => each.name === name) === index);
  },
  get problems() {
    return [...files.problems, ...promptCommands(mcp).problems];
  },
  untrusted: files.untrusted,
});

function promptCommands(mcp: McpPrompts): Pick<RunCommands, "list" | "problems"> {
  const commands = mcp.prompts().map((prompt) => promptCommand(mcp, prompt));
  return {
    list: commands.filter(({ name }) => isCommandName(name)),
    problems: commands
      .filter(({ name }) => !isCommandName(name))
      .map(
        ({ name, origin }) =>
          `${origin}: ${JSON.stringify(name)} is not a command: its name has other characters than letters, digits, '.', '_' and '-'.`,
      ),
  };
}

function promptCommand(mcp: McpPrompts, prompt: Prompt): RunCommand {
  const { server, name, description, arguments: declared = [] } = prompt;
  return {
    name: `${server}:${name}`,
    ...(description !== undefined && { description: description.replaceAll(/\s+/g, " ").trim() }),
    ...(declared.length > 0 && { argumentHint: formatHint(declared) }),
    origin: `MCP server ${server}`,
    expand: async (given) => {
      const texts = await mcp.prompt(server, name, promptInput(declared, given));
      return texts.join("\n\n").trim();
    },
  };
}

const formatHint = (declared: Arguments): string =>
  declared
    .map(({ name, required }) => (required === true ? name : `[${name}]`))
    .join(" ")
    .replaceAll(/\s+/g, " ");

/**
 * The arguments of a prompt by their names: a word or a text in quotes each, in order; the last one takes the rest.
 *
 * @throws CliError for a required argument that is missing, and for a text without an argument
 */
function promptInput(declared: Arguments, given: string): Readonly<Record<string, string>> {
  if (declared.length === 0 && given.trim() !== "")
    throw new CliError("expected no arguments: the prompt takes none. Leave them out.");
  const values = commandArguments(given, Math.max(declared.length, 1));
  const missing = declared.find(({ required }, index) => required === true && values[index] === undefined);
  if (missing !== undefined)
    throw new CliError(
      `expected the argument '${missing.name}', received none. The prompt takes: ${formatHint(declared)}`,
    );
  return Object.fromEntries(values.map((value, index) => [declared[index]?.name, value]));
}
