import { homedir } from "node:os";
import path from "node:path";
import { PRICES } from "../../adapters/index.ts";
import {
  type CommandFile,
  PROJECT_COMMANDS,
  parseCommand,
  readCommandTexts,
  SettingsError,
} from "../../settings/index.ts";
import type { Io } from "../io.ts";
import { configFolder } from "../settings/config-folder.ts";
import { printable } from "../show/index.ts";
import type { ListFlags } from "./list.ts";

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
 * tab-separated, or `{ commands }`. Those of a project that is not trusted are listed too.
 */
export async function listCommands({ workspace, format }: ListFlags, io: Pick<Io, "env">): Promise<string> {
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
 * `list models`: the models with a known price, by name prefix, in US dollars per million tokens;
 * tab-separated, or `{ models }`.
 */
export function listModels({ format }: ListFlags): string {
  const models = Object.entries(PRICES).map(([id, { input, output, cacheWrite, cacheRead }]) => ({
    id,
    inputPrice: input,
    outputPrice: output,
    cacheWritesPrice: cacheWrite,
    cacheReadsPrice: cacheRead,
  }));
  if (format === "text")
    return models
      .map(({ id, inputPrice, outputPrice }) => `${id}\t$${inputPrice}\t$${outputPrice}\n`)
      .join("");
  const byId = Object.fromEntries(models.map(({ id, ...prices }) => [id, prices]));
  return `${JSON.stringify({ models: byId }, undefined, 2)}\n`;
}
