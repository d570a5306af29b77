import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { systemCode } from "../../store/files/index.ts";
import type { Call } from "./call.ts";
import type { Left } from "./left-out.ts";
import { absoluteOf, type BytePath, shown, zeroEnded } from "./paths.ts";
import type { Change, Plan } from "./plan.ts";
import { Refusal } from "./refused.ts";

const EXECUTABLE = "100755";
const REGULAR = /^100/;

/** Does what was planned. @returns the files that could not be changed @throws Refusal before anything was changed */
export async function putBack(call: Call, { present, after, changes }: Plan): Promise<readonly Left[]> {
  const modes = await modesOf(call, changes);
  call.unstoppable();
  const { code, err } = await call.git(["read-tree", "-m", "-u", present.tree, after], {
    index: present.index,
    answers: [1, 128],
  });
  if (code !== 0 && /would be overwritten|not uptodate|would lose untracked/.test(err))
    throw new Refusal("changed", "files were changed meanwhile, so nothing was put back. Do it again.");
  const failed = await differing(call, present.index, changes);
  if (code !== 0 && failed.length === 0)
    throw new Refusal("git", `git read-tree failed: ${shown(err).trim().slice(0, 500)}`);
  await setModes(call, modes);
  return failed;
}

/** The rights of files that will be written anew: git itself keeps only whether they can be executed. */
async function modesOf({ store }: Call, changes: readonly Change[]): Promise<ReadonlyMap<BytePath, number>> {
  const modes = new Map<BytePath, number>();
  for (const { file, kind, mode } of changes) {
    if (kind !== "changed" || !REGULAR.test(mode)) continue;
    const found = await lstat(absoluteOf(store.workspace, file));
    if (!found.isFile()) continue;
    const rights = found.mode & 0o777;
    modes.set(file, mode === EXECUTABLE ? rights | ((rights & 0o444) >> 2) : rights & ~0o111);
  }
  return modes;
}

async function setModes({ store }: Call, modes: ReadonlyMap<BytePath, number>): Promise<void> {
  for (const [file, mode] of modes) {
    try {
      await using handle = await open(
        absoluteOf(store.workspace, file),
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      );
      await handle.chmod(mode);
    } catch (error) {
      // Its content is back. Who took it away since has the last word, and another's file keeps its rights.
      if (systemCode(error) === "") throw error;
    }
  }
}

/** What is not as planned: found by looking, whatever git said. */
async function differing({ git, store }: Call, index: string, changes: readonly Change[]): Promise<Left[]> {
  await git(["update-index", "-q", "--refresh"], { index, answers: [1, 128] });
  const { out } = await git(["diff-files", "-z", "--name-only"], { index, answers: [1] });
  const other = new Set(zeroEnded(out));
  const failed: Left[] = [];
  for (const { file, kind } of changes) {
    if (kind !== "removed") {
      if (other.has(file)) failed.push({ file, why: "it could not be written" });
      continue;
    }
    const left = await lstat(absoluteOf(store.workspace, file)).catch((error: unknown) => {
      if (systemCode(error) === "") throw error;
      return undefined;
    });
    if (left !== undefined && !left.isDirectory()) failed.push({ file, why: "it could not be removed" });
  }
  return failed;
}
