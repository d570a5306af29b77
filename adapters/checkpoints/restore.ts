import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { systemCode } from "../../store/files/system-code.ts";
import type { Change } from "./change.ts";
import type { SkippedPath } from "./commit.ts";
import { CheckpointError, changedError } from "./error.ts";
import { writeInPlace } from "./in-place.ts";
import type { Operation } from "./operation.ts";
import { absoluteOf, type BytePath, parseNul, toText } from "./paths.ts";
import type { Plan } from "./plan.ts";

const EXECUTABLE = "100755";
const REGULAR = /^100/;

/** Restores. @returns the files that could not be changed @throws CheckpointError before any file was changed */
export async function applyPlan(
  operation: Operation,
  { present, replaced, inPlace, changes }: Plan,
): Promise<readonly SkippedPath[]> {
  const modes = await modesOf(operation, changes);
  operation.ignoreAbort();
  const { code, err } = await operation.git(["read-tree", "-m", "-u", present.tree, replaced], {
    index: present.index,
    exitCodes: [1, 128],
  });
  if (code !== 0 && /would be overwritten|not uptodate|would lose untracked/.test(err))
    throw changedError("in the meantime");
  // After a failure git keeps the index of the files before: those after are compared.
  if (code !== 0) await operation.git(["read-tree", replaced], { index: present.index });
  const others = changes.filter((change) => !inPlace.includes(change));
  const failed = await failedChanges(operation, present.index, others);
  if (code !== 0 && failed.length === 0)
    throw new CheckpointError("git", `git read-tree failed: ${toText(err).trim().slice(0, 500)}`);
  const names = new Set(failed.map(({ file }) => file));
  const retried = others.filter(({ file, kind }) => kind === "changed" && names.has(file));
  const retriedNames = new Set(retried.map(({ file }) => file));
  const unwritten = await writeInPlace(operation, [...inPlace, ...retried]);
  await setModes(operation, modes);
  return [...failed.filter(({ file }) => !retriedNames.has(file)), ...unwritten];
}

/** The modes of files that are written: git itself keeps only whether a file is executable. */
async function modesOf(
  { store }: Operation,
  changes: readonly Change[],
): Promise<ReadonlyMap<BytePath, number>> {
  const modes = new Map<BytePath, number>();
  for (const { file, kind, mode } of changes) {
    if (kind !== "changed" || !REGULAR.test(mode)) continue;
    const found = await lstat(absoluteOf(store.workspace, file));
    if (!found.isFile()) continue;
    const bits = found.mode & 0o777;
    modes.set(file, mode === EXECUTABLE ? bits | ((bits & 0o444) >> 2) : bits & ~0o111);
  }
  return modes;
}

async function setModes({ store }: Operation, modes: ReadonlyMap<BytePath, number>): Promise<void> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  for (const [file, mode] of modes) {
    try {
      await using handle = await open(absoluteOf(store.workspace, file), flags);
      await handle.chmod(mode);
    } catch (error) {
      // The content is restored. A file that was removed since, or has another owner, keeps its mode.
      if (systemCode(error) === "") throw error;
    }
  }
}

/** The changes that were not made: the files on disk are compared, whatever git reported. */
async function failedChanges(
  { git, store }: Operation,
  index: string,
  changes: readonly Change[],
): Promise<SkippedPath[]> {
  await git(["update-index", "-q", "--refresh"], { index, exitCodes: [1, 128] });
  const { out } = await git(["diff-files", "-z", "--name-only"], { index, exitCodes: [1] });
  const different = new Set(parseNul(out));
  const failed: SkippedPath[] = [];
  for (const { file, kind } of changes) {
    if (kind !== "removed") {
      if (different.has(file)) failed.push({ file, why: "it could not be written" });
      continue;
    }
    const found = await lstat(absoluteOf(store.workspace, file)).catch((error: unknown) => {
      if (systemCode(error) === "") throw error;
      return undefined;
    });
    if (found !== undefined && !found.isDirectory()) failed.push({ file, why: "it could not be removed" });
  }
  return failed;
}
