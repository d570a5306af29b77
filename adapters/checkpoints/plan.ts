import { copyFile, lstat, mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../store/files/system-code.ts";
import type { Change } from "./change.ts";
import { readLeftOut, type SkippedPath } from "./commit.ts";
import { hasLinks, readOnlyReason } from "./in-place.ts";
import { ignoredFiles } from "./list-files.ts";
import type { Operation } from "./operation.ts";
import { absoluteOf, type BytePath, foldersOf, formatNul, parseNul, toText } from "./paths.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";

/** The steps of a restore. It changes and removes only files of `present`, so that it can be undone. */
export interface Plan {
  readonly present: Snapshot;
  /** Files that the checkpoint doesn't have. */
  readonly leftOut: readonly SkippedPath[];
  /** The tree of the workspace after it. */
  readonly after: string;
  readonly changes: readonly Change[];
  /** Changes that are written in place, and the tree after the others. */
  readonly inPlace: readonly Change[];
  readonly replaced: string;
  /** Files that can't be restored. */
  readonly leftAsIs: readonly SkippedPath[];
}

/** Plans the restore of a checkpoint. @throws CheckpointError */
export async function planRestore(operation: Operation, target: string): Promise<Plan> {
  const targetFiles = new Set(await filesOf(operation, target));
  const typeOf = createTypeOf(operation.store.workspace);
  const present = await takeSnapshot(operation, await reachable(targetFiles, typeOf));
  const { out } = await operation.git([
    "diff-tree",
    "-r",
    "-z",
    "--raw",
    "--no-renames",
    present.tree,
    target,
  ]);
  const all = parseChanges(out);
  const leftOut = await readLeftOut(operation, target);
  const kept = await keptFiles(operation, { target, targetFiles, leftOut }, all);
  const current = new Set(await filesOf(operation, present.tree));
  const changes: Change[] = [];
  const leftAsIs: SkippedPath[] = [];
  for (const change of all) {
    const { file, kind } = change;
    if (kind === "removed" && kept.has(file)) continue;
    const why =
      kind === "added"
        ? await findObstacle(operation, file, current, typeOf)
        : await readOnlyReason(operation, change);
    if (why === undefined) changes.push(change);
    else leftAsIs.push({ file, why });
  }
  const after = await treeAfter(operation, present, changes);
  const inPlace: Change[] = [];
  for (const change of changes) if (await hasLinks(operation, change)) inPlace.push(change);
  const others = changes.filter((change) => !inPlace.includes(change));
  const replaced = inPlace.length === 0 ? after : await treeAfter(operation, present, others);
  return { present, leftOut, after, changes, inPlace, replaced, leftAsIs };
}

/** The files of a checkpoint or a tree. */
async function filesOf({ git }: Operation, tree: string): Promise<readonly BytePath[]> {
  return parseNul((await git(["ls-tree", "-r", "-z", "--name-only", tree])).out);
}

/** Parses a raw diff: `:mode mode object object status`, then the path, each terminated by NUL. */
function parseChanges(raw: string): Change[] {
  const changes: Change[] = [];
  const items = parseNul(raw);
  for (let at = 0; at + 1 < items.length; at += 2) {
    const [was = "", mode = "", before = "", object = "", status = ""] = items[at]?.split(" ") ?? [];
    const kind = status === "A" ? "added" : status === "D" ? "removed" : "changed";
    const present = { mode: was.slice(1), object: before };
    changes.push({ file: items[at + 1] ?? "", kind, mode, object, present });
  }
  return changes;
}

interface Target {
  readonly target: string;
  readonly targetFiles: ReadonlySet<BytePath>;
  readonly leftOut: readonly SkippedPath[];
}

/**
 * Files that a restore keeps although the checkpoint lacks them, since they may have existed: those that it left out,
 * and those that its own rules ignore, unless they were looked for when it was saved.
 */
async function keptFiles(
  operation: Operation,
  { target, targetFiles, leftOut }: Target,
  changes: readonly Change[],
): Promise<ReadonlySet<BytePath>> {
  const surplus = changes.filter(({ kind }) => kind === "removed").map(({ file }) => file);
  if (surplus.length === 0) return new Set();
  const rules = path.join(operation.folder, "rules");
  await mkdir(rules);
  const index = path.join(operation.folder, "rules-index");
  await operation.git(["read-tree", target], { index });
  const ruleFiles = [...targetFiles].filter((file) => /(^|\/)\.gitignore$/.test(file));
  await operation.git(["checkout-index", "-z", "--stdin", `--prefix=${rules}${path.sep}`], {
    index,
    input: formatNul(ruleFiles),
  });
  const ignored = await ignoredFiles(operation, surplus, rules);
  const parentFiles = ignored.size === 0 ? new Set() : await filesOfParents(operation, target);
  const unsaved = new Set(leftOut.map(({ file }) => file));
  const targetFolders = new Set([...targetFiles].flatMap(foldersOf));
  const mayHaveExisted = (file: BytePath): boolean =>
    (ignored.has(file) && !parentFiles.has(file)) ||
    [file, ...foldersOf(file)].some((each) => unsaved.has(each));
  const isObstacle = (file: BytePath): boolean =>
    targetFolders.has(file) || foldersOf(file).some((folder) => targetFiles.has(folder));
  return new Set(surplus.filter((file) => mayHaveExisted(file) && !isObstacle(file)));
}

/** The files of the checkpoint before whose restore `target` was saved: the snapshot looked for all of them. */
async function filesOfParents(operation: Operation, target: string): Promise<ReadonlySet<BytePath>> {
  const { out } = await operation.git(["rev-list", "--parents", "-n", "1", target]);
  const parents = out.trim().split(" ").slice(1);
  return new Set((await Promise.all(parents.map((parent) => filesOf(operation, parent)))).flat());
}

/** The type of the file at a path. Symlinks are not followed. */
type TypeOf = (file: BytePath) => Promise<"folder" | "missing" | "other">;

function createTypeOf(workspace: string): TypeOf {
  const known = new Map<BytePath, ReturnType<TypeOf>>();
  const read: TypeOf = async (file) => {
    try {
      return (await lstat(absoluteOf(workspace, file))).isDirectory() ? "folder" : "other";
    } catch (error) {
      return ["ENOENT", "ENOTDIR"].includes(systemCode(error)) ? "missing" : "other";
    }
  };
  return (file) => {
    const type = known.get(file) ?? read(file);
    known.set(file, type);
    return type;
  };
}

/** The files that can be read without following a symlink. */
async function reachable(files: Iterable<BytePath>, typeOf: TypeOf): Promise<BytePath[]> {
  const found: BytePath[] = [];
  for (const file of files) {
    const types = await Promise.all(foldersOf(file).map(typeOf));
    if (types.every((type) => type === "folder")) found.push(file);
  }
  return found;
}

/** The reason why a file can't be added: a file that is not in the snapshot is in the way. */
async function findObstacle(
  operation: Operation,
  file: BytePath,
  current: ReadonlySet<BytePath>,
  typeOf: TypeOf,
): Promise<string | undefined> {
  for (const folder of foldersOf(file)) {
    const type = await typeOf(folder);
    if (type === "missing") return undefined;
    if (type === "other")
      return current.has(folder) ? undefined : `${toText(folder)} is in the way, and not saved`;
  }
  const type = await typeOf(file);
  if (type === "missing") return undefined;
  if (type === "other") return "the existing file could not be saved first";
  const unsaved = await firstUnsaved(operation, file, current);
  if (unsaved === undefined) return undefined;
  return `a folder is in the way, with ${toText(unsaved)}, which is not saved`;
}

async function firstUnsaved(
  operation: Operation,
  folder: BytePath,
  current: ReadonlySet<BytePath>,
): Promise<BytePath | undefined> {
  const absolute = absoluteOf(operation.store.workspace, folder);
  for (const entry of await readdir(absolute, { withFileTypes: true, encoding: "buffer" })) {
    const file = `${folder}/${entry.name.toString("latin1")}`;
    const unsaved = entry.isDirectory() ? await firstUnsaved(operation, file, current) : file;
    if (unsaved !== undefined && !current.has(unsaved)) return unsaved;
  }
  return undefined;
}

async function treeAfter(
  { git, folder }: Operation,
  present: Snapshot,
  changes: readonly Change[],
): Promise<string> {
  if (changes.length === 0) return present.tree;
  const index = path.join(folder, "after-index");
  await copyFile(present.index, index);
  const none = "0".repeat(present.tree.length);
  // Removals first: a file may replace a folder, or a folder a file.
  const removals = changes.map(({ file }) => `0 ${none}\t${file}`);
  const additions = changes
    .filter(({ kind }) => kind !== "removed")
    .map(({ file, mode, object }) => `${mode} ${object}\t${file}`);
  await git(["update-index", "-z", "--index-info"], {
    index,
    input: formatNul([...removals, ...additions]),
  });
  return (await git(["write-tree"], { index })).out.trim();
}
