import { readdir } from "node:fs/promises";
import path from "node:path";
import type { Workspace } from "../../ports/workspace.ts";
import { formatError, ToolError } from "../../tools/error.ts";
import { decodeText, EXPECTED_TEXT } from "../../tools/text-encoding.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { isMissing, readUserFile } from "./user-file.ts";

export const SKILL_FILE = "SKILL.md";

interface Names {
  readonly names: readonly string[];
  /** Whether the list was cut at the limit. */
  readonly cut: boolean;
}

/** A folder whose subfolders may be skills. An error is a ToolError. */
export interface SkillFolder {
  /** For messages. */
  readonly path: string;
  /** Whether it is in the workspace. */
  readonly inside: boolean;
  /** The names of its entries, sorted; none if there is no such folder. */
  entries(limit: number): Promise<Names>;
  /** Read `SKILL.md` of an entry; undefined if it has none. */
  read(entry: string): Promise<string | undefined>;
  /** The other files of an entry: relative to the workspace, or absolute paths. */
  files(entry: string, limit: number): Promise<Names>;
}

const NONE: Names = { names: [], cut: false };
/** Codes of a folder or file that is missing, or ignored. */
const ABSENT: ReadonlySet<string> = new Set(["NOT_FOUND", "NOT_A_FOLDER", "IGNORED"]);

/** A skill folder of the workspace, read through the workspace (L9). */
export function workspaceSkills(workspace: Workspace, folder: string): SkillFolder {
  return {
    path: folder,
    inside: true,
    entries: async (limit) => {
      const listed = workspace.list(folder, { recursive: false, limit });
      const { names, cut } = (await unlessAbsent(listed)) ?? NONE;
      return { names: names.map((name) => path.posix.basename(name)), cut };
    },
    read: async (entry) => {
      const file = `${folder}/${entry}/${SKILL_FILE}`;
      const bytes = await unlessAbsent(workspace.read(file));
      return bytes === undefined ? undefined : textOf(bytes, file);
    },
    files: (entry, limit) => otherFiles(workspace, `${folder}/${entry}`, limit),
  };
}

/** The user's own skill folder. Symlinks in it are followed. */
export function userSkills(folder: string, maxBytes: number): SkillFolder {
  return {
    path: folder,
    inside: false,
    entries: async (limit) => {
      try {
        const names = (await readdir(folder)).sort();
        return { names: names.slice(0, limit), cut: names.length > limit };
      } catch (error) {
        if (isMissing(error)) return NONE;
        throw new ToolError("FAILED", `it can't be listed: ${formatError(error)}`, { cause: error });
      }
    },
    read: async (entry) => {
      const start = await readUserFile(path.join(folder, entry, SKILL_FILE), maxBytes).catch(
        (cause: unknown) => {
          throw new ToolError("FAILED", `it can't be read: ${formatError(cause)}`, { cause });
        },
      );
      if (start?.cut === true)
        throw new ToolError("TOO_LARGE", `it is too large: expected at most ${maxBytes} bytes`);
      return start?.text;
    },
    files: async (entry, limit) => {
      const own = path.join(folder, entry);
      const { names, cut } = await otherFiles(await openWorkspace(own), ".", limit);
      return { names: names.map((name) => path.join(own, name)), cut };
    },
  };
}

async function otherFiles(workspace: Workspace, folder: string, limit: number): Promise<Names> {
  const { names, cut } = await workspace.list(folder, { recursive: true, limit });
  const isOther = (name: string): boolean => !name.endsWith("/") && path.posix.basename(name) !== SKILL_FILE;
  return { names: names.filter(isOther), cut };
}

async function unlessAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ToolError && ABSENT.has(error.code)) return undefined;
    throw error;
  }
}

function textOf(bytes: Uint8Array, file: string): string {
  const text = decodeText(bytes);
  if (text === undefined)
    throw new ToolError("BINARY", `'${file}' is not text: expected ${EXPECTED_TEXT}. Save it as UTF-8`);
  return text;
}
