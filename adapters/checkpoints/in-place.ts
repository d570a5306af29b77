import { lstat, realpath } from "node:fs/promises";
import path from "node:path";
import { isWritable, replaceContent } from "../../store/files/replace-content.ts";
import type { Change } from "./change.ts";
import type { SkippedPath } from "./commit.ts";
import type { Operation } from "./operation.ts";
import { absoluteOf, type BytePath, toText } from "./paths.ts";

const REGULAR = /^100/;

/** Whether a regular file keeps its kind, so that its content can be written in place. */
const isContentChange = ({ kind, mode, present }: Change): boolean =>
  kind === "changed" && REGULAR.test(mode) && REGULAR.test(present.mode);

/** Whether a restore must write a file in place: git would cut its hard links. */
export async function hasLinks({ store }: Operation, change: Change): Promise<boolean> {
  if (!isContentChange(change)) return false;
  return (await lstat(absoluteOf(store.workspace, change.file))).nlink > 1;
}

/** The reason why a file can't be changed or removed; undefined: it can. Git replaces a read-only file without a word. */
export async function readOnlyReason(
  { store }: Operation,
  { kind, present, file }: Change,
): Promise<string | undefined> {
  if (kind === "added" || !REGULAR.test(present.mode)) return undefined;
  const isAllowed = await isWritable(path.join(store.workspace, toText(file))).catch(() => true);
  return isAllowed ? undefined : "it is read-only";
}

/**
 * Writes the contents of files in place that git does not, or could not replace, such as those that are mounted.
 *
 * @returns those that were not written
 */
export async function writeInPlace(
  operation: Operation,
  changes: readonly Change[],
): Promise<readonly SkippedPath[]> {
  const failed: SkippedPath[] = [];
  for (const change of changes) {
    const reason = isContentChange(change)
      ? await writeContent(operation, change)
      : "it could not be written";
    if (reason !== undefined) failed.push({ file: change.file, why: reason });
  }
  return failed;
}

async function writeContent(
  { git, store }: Operation,
  { file, object }: Change,
): Promise<string | undefined> {
  try {
    const absolute = path.join(store.workspace, toText(file));
    const { out } = await git(["cat-file", "blob", object]);
    const target = await lstat(absolute);
    if (!target.isFile()) return "it is no longer a regular file";
    await replaceContent(absolute, Buffer.from(out, "latin1"), {
      target,
      beforeChange: () => assertInside(store.workspace, file),
    });
    return undefined;
  } catch (error) {
    return `it could not be written: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A symlink above the file must not lead elsewhere. */
async function assertInside(workspace: string, file: BytePath): Promise<void> {
  const folder = path.dirname(path.join(workspace, toText(file)));
  if ((await realpath(folder)) !== folder) throw new Error("a folder above it is a symlink");
}
