import { homedir } from "node:os";
import path from "node:path";
import { factsOf, prefixOf } from "../../adapters/models/facts.ts";
import { MODELS, PROVIDER_NAMES } from "../../adapters/models/table.ts";
import { printable } from "../../client/printable/printable.ts";
import { type CommandFile, parseCommand } from "../../settings/commands/command-file.ts";
import { readCommandTexts } from "../../settings/commands/command-texts.ts";
import { SettingsError } from "../../settings/error.ts";
import { loadSettings } from "../../settings/load.ts";
import { modelsOf } from "../../settings/models.ts";
import { PROJECT_COMMANDS } from "../../settings/trust.ts";
import type { Io } from "../io.ts";
import { configFolder } from "../settings/config-folder.ts";
import { withSettingsErrors } from "../settings/load.ts";

/** The flags of each list. */
export interface ChoiceFlags {
  /** The folder of commands, modes and settings. Default: the current one. */
  readonly workspace?: string;
  readonly format: "text" | "json";
}

/** A custom prompt in a file. */
interface SlashCommand {
  readonly name: string;
  readonly source: "project" | "global";
  readonly filePath: string;
  readonly description?: string;
  readonly argumentHint?: string;
}

/**
 * `list commands`: the command files of the workspace, of the user, and in `.roo/commands` of the home folder;
 * tab-separated, or `{ commands }`. The commands of a project that is not trusted are also listed.
 */
export async function listCommands({ workspace, format }: ChoiceFlags, io: Pick<Io, "env">): Promise<string> {
  const root = path.resolve(workspace ?? ".");
  const found = [
    ...(await Promise.all(PROJECT_COMMANDS.map((folder) => commandsIn(root, folder, "project")))),
    await commandsIn(configFolder(io), "commands", "global"),
    await commandsIn(homedir(), ".roo/commands", "global"),
  ].flat();
  // Of two commands with one name, the first is used.
  const first = new Map(found.toReversed().map((command) => [command.name, command]));
  const commands = [...first.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (format === "json") return `${JSON.stringify({ commands }, undefined, 2)}\n`;
  return commands
    .map(
      ({ name, source, description }) => `/${printable(name)}\t${source}\t${printable(description ?? "")}\n`,
    )
    .join("");
}

async function commandsIn(
  base: string,
  folder: string,
  source: SlashCommand["source"],
): Promise<readonly SlashCommand[]> {
  const { texts } = await readCommandTexts(base, folder, { isConfined: source === "project" });
  const commands = Object.entries(texts).map(async ([file, text]) => {
    const filePath = path.join(base, file);
    const { name, description, argumentHint } = await parseCommand(
      text,
      file.slice(folder.length + 1),
      filePath,
    ).catch(unparsed(file.slice(folder.length + 1)));
    return {
      name,
      source,
      filePath,
      ...(description !== undefined && { description }),
      ...(argumentHint !== undefined && { argumentHint }),
    };
  });
  return Promise.all(commands);
}

/** A file that is not valid has its name. */
function unparsed(
  relative: string,
): (error: unknown) => Pick<CommandFile, "name" | "description" | "argumentHint"> {
  return (error) => {
    if (!(error instanceof SettingsError)) throw error;
    return { name: relative.replace(/\.md$/, "").replaceAll("/", ":") };
  };
}

/**
 * `list models`: the models with a known price as `PROVIDER/NAME`, where a `*` matches any rest, in US dollars per
 * million tokens; tab-separated, or `{ models }`. With the models of the settings.
 */
export async function listModels({ workspace, format }: ChoiceFlags, io: Pick<Io, "env">): Promise<string> {
  const { settings } = await withSettingsErrors(() =>
    loadSettings({ configDir: configFolder(io), workspace: workspace ?? ".", env: io.env }),
  );
  const models = PROVIDER_NAMES.flatMap((provider) => {
    const tables = [MODELS[provider], modelsOf(settings, provider)];
    const names = new Set(tables.flatMap((table) => Object.keys(table)));
    return [...names].flatMap((name) => {
      const { contextWindow, maxTokens, price } = factsOf(prefixOf(name), ...tables);
      return price === undefined ? [] : [{ id: `${provider}/${name}`, contextWindow, maxTokens, price }];
    });
  });
  if (format === "text")
    return models.map(({ id, price }) => `${id}\t$${price.input}\t$${price.output}\n`).join("");
  const byId = models.map(({ id, price, ...limits }) => [
    id,
    {
      ...limits,
      inputPrice: price.input,
      outputPrice: price.output,
      cacheWritesPrice: price.cacheWrite,
      cacheReadsPrice: price.cacheRead,
    },
  ]);
  return `${JSON.stringify({ models: Object.fromEntries(byId) }, undefined, 2)}\n`;
}
