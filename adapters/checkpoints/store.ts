import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { checkpointsRoot, PRIVATE_FOLDER, systemCode, tasksFolder } from "../../store/files/index.ts";
import { Git } from "./git.ts";
import { type BytePath, toBytes } from "./paths.ts";

/** The oldest git whose plumbing is known to do all this. */
const GIT_MIN: readonly [number, number] = [2, 25];
/** What a crash left behind is removed after this long. */
const LEFTOVER_MS = 3_600_000;

/** Folders that are made again from something else. A `.gitignore` of the workspace can take one back: `!node_modules`. */
export const NEVER_SAVED: readonly string[] = ["node_modules/", ".venv/", "__pycache__/", ".DS_Store"];

/** The attributes that win over any of the workspace: no filter, no line ends, no encoding changes a byte. */
const ATTRIBUTES = "* -text -filter -ident -working-tree-encoding -eol !diff !merge\n";

/** Where the checkpoints of one workspace lie. */
export interface Store {
  readonly workspace: string;
  readonly dir: string;
  readonly git: Git;
  /** Folders inside the workspace that are never looked at: the data folder's, if it lies there. */
  readonly closed: readonly BytePath[];
}

/** The folder of a workspace's shadow repository: one for all its tasks, so that equal files are kept once. */
export function checkpointsFolder(dataDir: string, workspace: string): string {
  const name = createHash("sha256").update(workspace).digest("hex").slice(0, 24);
  return path.join(checkpointsRoot(dataDir), name);
}

/** Opens the shadow repository of a workspace, and makes it the first time. @returns why it is off, if it is */
export async function openStore(
  workspace: string,
  dataDir: string,
  { env, now }: { readonly env: NodeJS.ProcessEnv; readonly now: number },
): Promise<Store | { readonly off: string }> {
  await mkdir(dataDir, { recursive: true, mode: PRIVATE_FOLDER });
  const data = await realpath(dataDir);
  const dir = checkpointsFolder(data, workspace);
  await mkdir(path.dirname(dir), { recursive: true, mode: PRIVATE_FOLDER });
  const version = await new Git(path.dirname(dir), env).version();
  if (version === undefined)
    return { off: "git was not found: checkpoints are off. Install git to have them." };
  if (isTooOld(version))
    return {
      off: `git ${version} was found: checkpoints need ${GIT_MIN.join(".")} or later and are off. Install a newer git to have them.`,
    };
  const closed = [tasksFolder(data), checkpointsRoot(data)].flatMap((folder) => closedBy(workspace, folder));
  if (!(await isThere(path.join(dir, "HEAD")))) await make(dir, workspace, closed, env);
  await mkdir(path.join(dir, "tmp"), { recursive: true, mode: PRIVATE_FOLDER });
  await removeLeftovers(path.join(dir, "tmp"), now - LEFTOVER_MS);
  return { workspace, dir, git: new Git(dir, env), closed };
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < GIT_MIN[0] || (major === GIT_MIN[0] && minor < GIT_MIN[1]);
}

function closedBy(workspace: string, folder: string): BytePath[] {
  const relative = path.relative(workspace, folder);
  const isOutside = relative === ".." || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return isOutside ? [] : [toBytes(relative.split(path.sep).join("/"))];
}

/** Made aside and then renamed: of two processes that make it at once, the second finds that of the first. */
async function make(
  dir: string,
  workspace: string,
  closed: readonly BytePath[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const aside = `${dir}.${randomUUID()}`;
  await mkdir(aside, { mode: PRIVATE_FOLDER });
  try {
    await new Git(aside, env).run(["init", "--quiet", "--template="], { workTree: workspace });
    await mkdir(path.join(aside, "info"), { recursive: true });
    await writeFile(path.join(aside, "info", "attributes"), ATTRIBUTES);
    await writeFile(path.join(aside, "info", "exclude"), rulesOf(closed), "latin1");
    await rename(aside, dir);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    const code = systemCode(error);
    if (!["ENOTEMPTY", "EEXIST", "EPERM"].includes(code) || !(await isThere(path.join(dir, "HEAD"))))
      throw error;
  }
}

/** The closed folders are left out by ourselves; the rules for them only spare git the walk. */
function rulesOf(closed: readonly BytePath[]): string {
  const own = closed.filter((folder) => !/[\n\r]/.test(folder));
  return [...NEVER_SAVED, ...own.map((folder) => `/${folder.replace(/[\\*?[\] ]/g, "\\$&")}/`), ""].join(
    "\n",
  );
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    (error: unknown) => {
      if (systemCode(error) === "ENOENT") return false;
      throw error;
    },
  );
}

async function removeLeftovers(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const left = path.join(folder, name);
    const { mtimeMs } = await stat(left).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (mtimeMs < before) await rm(left, { recursive: true, force: true });
  }
}
