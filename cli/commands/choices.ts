import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { PRICES } from "../../adapters/index.ts";
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

/** `list commands`: the files in `.roo/commands` of the workspace and of the home folder; tab-separated, or `{ commands }`. */
export async function listCommands({ workspace, format }: ListFlags): Promise<string> {
  const project = await commandsIn(path.resolve(workspace ?? "."), "project");
  const names = new Set(project.map(({ name }) => name));
  // A command of the workspace overrides a global one of the same name.
  const global = (await commandsIn(homedir(), "global")).filter(({ name }) => !names.has(name));
  const commands = [...project, ...global].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (format === "json") return `${JSON.stringify({ commands }, undefined, 2)}\n`;
  return commands
    .map(
      ({ name, source, description }) => `/${printable(name)}\t${source}\t${printable(description ?? "")}\n`,
    )
    .join("");
}

async function commandsIn(folder: string, source: SlashCommand["source"]): Promise<readonly SlashCommand[]> {
  const dir = path.join(folder, ".roo", "commands");
  // The folder is optional.
  const files = (await readdir(dir).catch(() => [])).filter((file) => file.endsWith(".md"));
  return Promise.all(
    files.map(async (file) => {
      const filePath = path.join(dir, file);
      return { name: file.slice(0, -3), source, filePath, ...(await readFrontMatter(filePath)) };
    }),
  );
}

const Head = z
  .object({
    description: z.string().optional().catch(undefined),
    "argument-hint": z.string().optional().catch(undefined),
  })
  .catch({});

/** Read the front matter of a file; empty if it can't be read. */
async function readFrontMatter(file: string): Promise<Pick<SlashCommand, "description" | "argumentHint">> {
  try {
    const [, head = ""] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(await readFile(file, "utf8")) ?? [];
    const { description, "argument-hint": argumentHint } = Head.parse(parse(head) ?? {});
    return {
      ...(description !== undefined && { description }),
      ...(argumentHint !== undefined && { argumentHint }),
    };
  } catch {
    return {};
  }
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
