import { unlink } from "node:fs/promises";
import path from "node:path";
import { syncFolders } from "../../store/files/sync-folders.ts";
import { ToolError } from "../../tools/error.ts";
import { type Confinement, fromRoot, isInside } from "./confinement.ts";
import { assertExpected, type ExpectedFile } from "./expected.ts";
import { notAFile, type OpenPath, openInside, outside, systemError } from "./open-path.ts";
import { assertAllowed, type IsDenied } from "./rules.ts";
import { assertWritableFile, targetIn } from "./target.ts";

/** A file to check before it changes. */
export type CheckedPath = Omit<ExpectedFile, "expects" | "maxBytes">;

/** Removes a file through its folder, which is checked and held open (L9). */
export async function removeInside(
  confinement: Confinement,
  isDenied: IsDenied,
  options: ExpectedFile,
): Promise<void> {
  const { absolute, named } = options;
  await using folder = await openRemovable(confinement, isDenied, options);
  const file = { ...options, absolute: path.join(folder.real, path.basename(absolute)) };
  await assertExpected(confinement, isDenied, file);
  if (!isInside(confinement.root, await folder.realNow())) throw outside(confinement, named);
  // A symlink that has replaced the file since is removed itself, not its target.
  await unlink(path.join(folder.via, path.basename(absolute))).catch((error: unknown) => {
    throw systemError(error, named);
  });
  await syncFolders(folder.via);
}

/** Opens the folder of a file that may be removed. */
export async function openRemovable(
  confinement: Confinement,
  isDenied: IsDenied,
  { absolute, named, editor }: CheckedPath,
): Promise<OpenPath> {
  if (absolute === confinement.root) throw notAFile(named);
  const name = path.basename(absolute);
  const folder = await openInside(confinement, path.dirname(absolute), named);
  try {
    const relative = fromRoot(confinement.root, path.join(folder.real, name));
    const target = await targetIn(folder, name, named);
    assertAllowed(isDenied, relative, named);
    if (target === undefined)
      throw new ToolError("NOT_FOUND", `'${named}' does not exist. Check the path, or list the folder.`);
    if (target.isSymbolicLink())
      throw new ToolError(
        "NOT_A_FILE",
        `'${named}' is a symlink, which is not removed: expected a file. Name its target.`,
      );
    if (!target.isFile()) throw notAFile(named);
    await assertWritableFile(path.join(folder.via, name), named);
    await editor?.assertSaved(relative, named);
    return folder;
  } catch (error) {
    await folder.handle.close();
    throw error;
  }
}
