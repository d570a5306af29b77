import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { createFolder } from "../store/files/create-folder.ts";
import { PRIVATE_FOLDER } from "../store/files/data-folder.ts";
import { replaceFile } from "../store/files/replace-file.ts";
import { type CommandTexts, readCommandTexts } from "./commands/command-texts.ts";
import { readDocument } from "./document.ts";
import { readTextFile } from "./text-file.ts";

/** The files of a project that trust is about, relative to its folder. */
export const PROJECT_FILES = [
  ".signalbox/settings.yaml",
  ".signalbox/modes.yaml",
  ".roomodes",
  ".roo/mcp.json",
  ".mcp.json",
] as const;
/** The folders of command files in a project. Of two commands with one name, the one in the first folder is used. */
export const PROJECT_COMMANDS = [".signalbox/commands", ".roo/commands"] as const;
type ProjectFile = (typeof PROJECT_FILES)[number];

/** Folders that are remembered as trusted. The one that was trusted first is forgotten first. */
const TRUSTED_MAX = 1_000;
const TRUSTED_BYTES_MAX = 8_388_608;

/** The files of a project as they were read once: what is trusted, and what takes effect, is this text. */
export interface ProjectFiles {
  /** The real path of the project's folder. */
  readonly folder: string;
  readonly texts: Readonly<Partial<Record<ProjectFile, string>>>;
  readonly commands: CommandTexts;
  /** SHA-256 of all of them, in hexadecimal. */
  readonly digest: string;
}

/**
 * Read the files of a project that need trust.
 *
 * @throws SettingsError `SETTINGS_UNREADABLE`, also for a symlink to a file outside the project
 */
export async function readProjectFiles(folder: string): Promise<ProjectFiles> {
  const root = await realpath(folder);
  const found = await Promise.all(
    PROJECT_FILES.map(async (name) => {
      const text = await readTextFile(path.join(root, name), { inside: root });
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
  const read = await Promise.all(
    PROJECT_COMMANDS.map((name) => readCommandTexts(root, name, { isConfined: true })),
  );
  const commands = {
    texts: Object.fromEntries(read.flatMap(({ texts }) => Object.entries(texts))),
    problems: read.flatMap(({ problems }) => problems),
  };
  return filesOf(root, Object.fromEntries(found.flat()), commands);
}

/** The files of a project with another text of one of them. */
export function withProjectFile(
  { folder, texts, commands }: ProjectFiles,
  name: ProjectFile,
  text: string,
): ProjectFiles {
  return filesOf(folder, { ...texts, [name]: text }, commands);
}

function filesOf(folder: string, texts: ProjectFiles["texts"], commands: CommandTexts): ProjectFiles {
  // Each text has its length before it, so that no text of one file looks like another file.
  const hash = createHash("sha256");
  const add = (name: string, text: string | undefined): void => {
    if (text !== undefined) hash.update(`${name}\0${Buffer.byteLength(text)}\0${text}`);
  };
  for (const name of PROJECT_FILES) add(name, texts[name]);
  for (const [name, text] of Object.entries(commands.texts)) add(name, text);
  return { folder, texts, commands, digest: hash.digest("hex") };
}

/** Whether the user has trusted this folder with exactly these files. A project without them needs no trust. */
export async function isTrusted(files: ProjectFiles, configDir: string): Promise<boolean> {
  if (Object.keys({ ...files.texts, ...files.commands.texts }).length === 0) return true;
  return (await readTrusted(configDir)).get(files.folder) === files.digest;
}

/** Trust these files of the folder, until one of them changes. */
export async function trust({ folder, digest }: ProjectFiles, configDir: string): Promise<void> {
  const trusted = await readTrusted(configDir);
  trusted.delete(folder);
  trusted.set(folder, digest);
  await writeTrusted([...trusted].slice(-TRUSTED_MAX), configDir);
}

/** Trust the folder no longer. Returns whether it was trusted, with these files or earlier ones. */
export async function untrust({ folder }: Pick<ProjectFiles, "folder">, configDir: string): Promise<boolean> {
  const trusted = await readTrusted(configDir);
  if (!trusted.delete(folder)) return false;
  await writeTrusted([...trusted], configDir);
  return true;
}

const Trusted = z.strictObject({
  version: z.literal(1),
  folders: z.array(z.strictObject({ folder: z.string(), sha256: z.string().length(64) })),
});

const trustedFile = (configDir: string): string => path.join(configDir, "trusted.json");

async function readTrusted(configDir: string): Promise<Map<string, string>> {
  const document = await readDocument(trustedFile(configDir), Trusted, { maxBytes: TRUSTED_BYTES_MAX });
  return new Map(document?.value.folders.map(({ folder, sha256 }) => [folder, sha256]));
}

async function writeTrusted(
  trusted: readonly (readonly [string, string])[],
  configDir: string,
): Promise<void> {
  const folders = trusted.map(([folder, sha256]) => ({ folder, sha256 }));
  createFolder(configDir, PRIVATE_FOLDER);
  await replaceFile(trustedFile(configDir), `${JSON.stringify({ version: 1, folders }, undefined, 2)}\n`);
}
