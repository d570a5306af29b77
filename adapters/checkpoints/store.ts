import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { createFolder } from "../../store/files/create-folder.ts";
import { checkpointsRoot, PRIVATE_FOLDER } from "../../store/files/data-folder.ts";
import { systemCode } from "../../store/files/system-code.ts";
import { withoutOwnPrograms } from "../search-path.ts";
import { dataFoldersIn } from "./data-folders.ts";
import { Git } from "./git.ts";
import type { BytePath } from "./paths.ts";

/** The oldest git whose plumbing commands suffice. */
const GIT_MIN: readonly [number, number] = [2, 25];
/** Age at which the temporary folders of a crashed process are removed. */
const LEFTOVER_MS = 3_600_000;

/**
 * Folders of generated files, and the ledger, which is only appended to. A `.gitignore` of the workspace can include one
 * again: `!node_modules`.
 */
const NEVER_SAVED: readonly string[] = [
  ...["node_modules/", ".venv/", "__pycache__/", ".DS_Store"],
  "/.orchestration/agent_trace.*",
];

/** Attributes that override the workspace's: no filter, line ending or encoding changes a byte. */
const ATTRIBUTES = "* -text -filter -ident -working-tree-encoding -eol !diff !merge\n";

/** The shadow repository of one workspace. */
export interface Store {
  readonly workspace: string;
  readonly dir: string;
  readonly git: Git;
  /** Folders in the workspace that are never read: the data directory, if it is there. */
  readonly excluded: readonly BytePath[];
}

/** The folder of a workspace's shadow repository. All its tasks share it, so that equal files are stored once. */
export function checkpointsFolder(dataDir: string, workspace: string): string {
  const name = createHash("sha256").update(workspace).digest("hex").slice(0, 24);
  return path.join(checkpointsRoot(dataDir), name);
}

interface OpenStoreOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly now: number;
  /** A folder that exists, where the workspace may be missing. Default: the workspace. */
  readonly workTree?: string;
}

/** Opens the shadow repository of a workspace; creates it the first time. @returns `off` if git is missing or old */
export async function openStore(
  workspace: string,
  dataDir: string,
  { env: given, now, workTree = workspace }: OpenStoreOptions,
): Promise<Store | { readonly off: string }> {
  const env = withoutOwnPrograms(given, workspace);
  createFolder(dataDir, PRIVATE_FOLDER);
  const data = await realpath(dataDir);
  const dir = checkpointsFolder(data, workspace);
  createFolder(path.dirname(dir), PRIVATE_FOLDER);
  const version = await new Git(path.dirname(dir), env).version();
  if (version === undefined)
    return { off: "git was not found: checkpoints are off. Install git to have them." };
  if (isTooOld(version))
    return {
      off: `git ${version} was found: checkpoints need ${GIT_MIN.join(".")} or later and are off. Install a newer git to have them.`,
    };
  const excluded = dataFoldersIn(workspace, data);
  if (!isRepository(dir)) await createRepository(dir, workTree, excluded, env);
  const temporary = path.join(dir, "tmp");
  await mkdir(temporary, { recursive: true, mode: PRIVATE_FOLDER });
  await removeLeftovers(temporary, now - LEFTOVER_MS);
  return { workspace, dir, git: new Git(dir, env), excluded };
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < GIT_MIN[0] || (major === GIT_MIN[0] && minor < GIT_MIN[1]);
}

/** Created under another name and renamed: of two processes at once, the second one uses the store of the first. */
async function createRepository(
  dir: string,
  workTree: string,
  excluded: readonly BytePath[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const temporary = `${dir}.${randomUUID()}`;
  await mkdir(temporary, { mode: PRIVATE_FOLDER });
  try {
    await new Git(temporary, env).run(["init", "--quiet", "--template="], { workTree });
    await mkdir(path.join(temporary, "info"), { recursive: true });
    await writeFile(path.join(temporary, "info", "attributes"), ATTRIBUTES);
    await writeFile(path.join(temporary, "info", "exclude"), formatRules(excluded), "latin1");
    await rename(temporary, dir);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (!["ENOTEMPTY", "EEXIST", "EPERM"].includes(systemCode(error)) || !isRepository(dir)) throw error;
  }
}

export const isRepository = (dir: string): boolean => existsSync(path.join(dir, "HEAD"));

/** The list of files omits the excluded folders itself; the rules only save git from reading them. */
function formatRules(excluded: readonly BytePath[]): string {
  const folders = excluded.filter((folder) => !/[\n\r]/.test(folder));
  const rules = folders.map((folder) => `/${folder.replace(/[\\*?[\] ]/g, "\\$&")}/`);
  return [...NEVER_SAVED, ...rules, ""].join("\n");
}

async function removeLeftovers(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const leftover = path.join(folder, name);
    const { mtimeMs } = await stat(leftover).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (mtimeMs < before) await rm(leftover, { recursive: true, force: true });
  }
}
