import { copyFile, lstat, mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../store/files/index.ts";
import type { Call } from "./call.ts";
import { type Left, leftOutIn } from "./left-out.ts";
import { ignoredOf } from "./listing.ts";
import { absoluteOf, type BytePath, foldersOf, shown, toZeroEnded, zeroEnded } from "./paths.ts";
import { Refusal } from "./refused.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";

/** What a restore does to one file. */
export interface Change {
  readonly file: BytePath;
  readonly kind: "added" | "changed" | "removed";
  /** The mode that the file gets, as git says it: `100644`, `100755` or `120000`. */
  readonly mode: string;
  /** The name of its content in the store. */
  readonly object: string;
}

/**
 * What a restore will do. It changes and removes only what `present` holds, so that it can be undone whole; and
 * what it leaves as it is, it names.
 */
export interface Plan {
  readonly present: Snapshot;
  /** What the checkpoint doesn't have. */
  readonly leftOut: readonly Left[];
  /** The tree of the workspace after it. */
  readonly after: string;
  readonly changes: readonly Change[];
  readonly leftAsIs: readonly Left[];
}

/** Plans to go back to a checkpoint. @throws Refusal */
export async function planRestore(call: Call, target: string): Promise<Plan> {
  const goal = await treeOf(call, target);
  const look = folderLook(call.store.workspace);
  const present = await takeSnapshot(call, await reachable(goal, look));
  const { out } = await call.git(["diff-tree", "-r", "-z", "--raw", "--no-renames", present.tree, target]);
  const all = changesIn(out);
  const leftOut = leftOutIn(shown((await call.git(["show", "--no-patch", "--format=%B", target])).out));
  const kept = await keptFiles(call, { target, goal, leftOut }, all);
  const current = new Set(await filesOf(call, present.tree));
  const changes: Change[] = [];
  const leftAsIs: Left[] = [];
  for (const change of all) {
    if (change.kind === "removed" && kept.has(change.file)) continue;
    const why = change.kind === "added" ? await obstacle(call, change.file, current, look) : undefined;
    if (why === undefined) changes.push(change);
    else leftAsIs.push({ file: change.file, why });
  }
  return { present, leftOut, after: await treeAfter(call, present, changes), changes, leftAsIs };
}

/** The files of a checkpoint or a tree. */
export async function filesOf({ git }: Call, tree: string): Promise<readonly BytePath[]> {
  return zeroEnded((await git(["ls-tree", "-r", "-z", "--name-only", tree])).out);
}

const treeOf = async (call: Call, target: string): Promise<ReadonlySet<BytePath>> =>
  new Set(await filesOf(call, target));

/** A raw diff: `:mode mode object object status`, then the path, each ended by a zero byte. */
function changesIn(raw: string): Change[] {
  const changes: Change[] = [];
  const items = zeroEnded(raw);
  for (let at = 0; at + 1 < items.length; at += 2) {
    const [, mode = "", , object = "", status = ""] = items[at]?.split(" ") ?? [];
    const kind = status === "A" ? "added" : status === "D" ? "removed" : "changed";
    changes.push({ file: items[at + 1] ?? "", kind, mode, object });
  }
  return changes;
}

interface Goal {
  readonly target: string;
  readonly goal: ReadonlySet<BytePath>;
  readonly leftOut: readonly Left[];
}

/**
 * Files that the checkpoint lacks and that may have been there then, so they stay: those that it left out, and those
 * that its own rules ignore. But of what was looked at for it, whatever the rules said, it is known that it was not.
 */
async function keptFiles(
  call: Call,
  { target, goal, leftOut }: Goal,
  changes: readonly Change[],
): Promise<ReadonlySet<BytePath>> {
  const surplus = changes.filter(({ kind }) => kind === "removed").map(({ file }) => file);
  if (surplus.length === 0) return new Set();
  const rules = path.join(call.folder, "rules");
  await mkdir(rules);
  const index = path.join(call.folder, "rules-index");
  await call.git(["read-tree", target], { index });
  const files = [...goal].filter((file) => file === ".gitignore" || file.endsWith("/.gitignore"));
  await call.git(["checkout-index", "-z", "--stdin", `--prefix=${rules}${path.sep}`], {
    index,
    input: toZeroEnded(files),
  });
  const ignored = await ignoredOf(call, surplus, rules);
  const looked = ignored.size === 0 ? new Set() : await lookedAt(call, target);
  const out = new Set(leftOut.map(({ file }) => file));
  const folders = new Set([...goal].flatMap(foldersOf));
  const mayHaveBeen = (file: BytePath): boolean =>
    (ignored.has(file) && !looked.has(file)) ||
    out.has(file) ||
    foldersOf(file).some((each) => out.has(each));
  const isInTheWay = (file: BytePath): boolean =>
    folders.has(file) || foldersOf(file).some((folder) => goal.has(folder));
  return new Set(surplus.filter((file) => mayHaveBeen(file) && !isInTheWay(file)));
}

/** The files of the checkpoint that a snapshot was taken for: before a restore they are looked at in any case. */
async function lookedAt(call: Call, target: string): Promise<ReadonlySet<BytePath>> {
  const looked = new Set<BytePath>();
  const { out } = await call.git(["rev-list", "--parents", "-n", "1", target]);
  for (const parent of out.trim().split(" ").slice(1))
    for (const file of await filesOf(call, parent)) looked.add(file);
  return looked;
}

type Look = (folder: BytePath) => Promise<"folder" | "missing" | "other">;

/** What stands at a path. Symlinks are not followed. */
function folderLook(workspace: string): Look {
  const seen = new Map<BytePath, ReturnType<Look>>();
  const look: Look = async (folder) => {
    try {
      return (await lstat(absoluteOf(workspace, folder))).isDirectory() ? "folder" : "other";
    } catch (error) {
      return ["ENOENT", "ENOTDIR"].includes(systemCode(error)) ? "missing" : "other";
    }
  };
  return (folder) => {
    const known = seen.get(folder) ?? look(folder);
    seen.set(folder, known);
    return known;
  };
}

/** The files that can be looked at without going through a symlink. */
async function reachable(files: Iterable<BytePath>, look: Look): Promise<BytePath[]> {
  const found: BytePath[] = [];
  for (const file of files) {
    const kinds = await Promise.all(foldersOf(file).map(look));
    if (kinds.every((kind) => kind === "folder")) found.push(file);
  }
  return found;
}

/** Why a file can't be put where there is none of the present snapshot's: something else stands there. */
async function obstacle(
  call: Call,
  file: BytePath,
  current: ReadonlySet<BytePath>,
  look: Look,
): Promise<string | undefined> {
  for (const folder of foldersOf(file)) {
    const kind = await look(folder);
    if (kind === "missing") return undefined;
    if (kind === "other")
      return current.has(folder) ? undefined : `${shown(folder)} is in the way, and not saved`;
  }
  const kind = await look(file);
  if (kind === "missing") return undefined;
  if (kind === "other") return "what is there could not be saved first";
  const foreign = await firstForeign(call, file, current);
  return foreign === undefined
    ? undefined
    : `a folder is in the way, with ${shown(foreign)}, which is not saved`;
}

async function firstForeign(
  call: Call,
  folder: BytePath,
  current: ReadonlySet<BytePath>,
): Promise<BytePath | undefined> {
  const entries = await readdir(absoluteOf(call.store.workspace, folder), {
    withFileTypes: true,
    encoding: "buffer",
  });
  for (const entry of entries) {
    const inside = `${folder}/${entry.name.toString("latin1")}`;
    const foreign = entry.isDirectory() ? await firstForeign(call, inside, current) : inside;
    if (foreign !== undefined && !current.has(foreign)) return foreign;
  }
  return undefined;
}

async function treeAfter(
  { git, folder }: Call,
  present: Snapshot,
  changes: readonly Change[],
): Promise<string> {
  if (changes.length === 0) return present.tree;
  const index = path.join(folder, "after-index");
  await copyFile(present.index, index);
  const none = "0".repeat(present.tree.length);
  // Removals first: a file may take the place of a folder, or a folder that of a file.
  const removals = changes.map(({ file }) => `0 ${none}\t${file}`);
  const additions = changes
    .filter(({ kind }) => kind !== "removed")
    .map(({ file, mode, object }) => `${mode} ${object}\t${file}`);
  await git(["update-index", "-z", "--index-info"], {
    index,
    input: toZeroEnded([...removals, ...additions]),
  });
  return (await git(["write-tree"], { index })).out.trim();
}

/** Refuses what is no checkpoint of this workspace. @throws Refusal `unknown` */
export async function expectCheckpoint({ git, store }: Call, hash: string): Promise<void> {
  const isHash = /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(hash);
  const known =
    isHash && (await git(["show-ref", "--verify", "--quiet", refOf(hash)], { answers: [1, 128] })).code === 0;
  if (known) return;
  throw new Refusal(
    "unknown",
    `there is no checkpoint ${hash.slice(0, 64)} of ${store.workspace} in ${store.dir}: it was removed, or made elsewhere.`,
  );
}

/** Its own name: two that save at once never write the same ref, and nothing that a checkpoint needs is pruned. */
export const refOf = (hash: string): string => `refs/checkpoints/${hash}`;
