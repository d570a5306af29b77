import path from "node:path";
import { type Confinement, fromRoot } from "./confinement.ts";
import { notAFile, openNearest } from "./open-path.ts";
import { type CheckedPath, openRemovable } from "./remove.ts";
import { assertAllowed, type IsDenied } from "./rules.ts";
import { assertWritableFile, danglingLink, targetIn } from "./target.ts";

/** Checks that a file may be removed (L9). */
export async function assertRemovable(
  confinement: Confinement,
  isDenied: IsDenied,
  options: CheckedPath,
): Promise<void> {
  await using _folder = await openRemovable(confinement, isDenied, options);
}

/** Checks that a file may be written, without the creation of its folders (L9). */
export async function assertWritable(
  confinement: Confinement,
  isDenied: IsDenied,
  { absolute, named, editor }: CheckedPath,
): Promise<void> {
  const { root } = confinement;
  if (absolute === root) throw notAFile(named);
  const { opened, missing } = await openNearest(confinement, absolute, named);
  await using found = opened;
  const relative = fromRoot(root, path.join(found.real, ...missing));
  assertAllowed(isDenied, relative, named);
  const [name] = missing;
  if (name === undefined) {
    if (!(await found.handle.stat()).isFile()) throw notAFile(named);
    await assertWritableFile(found.via, named);
  } else if ((await targetIn(found, name, named)) !== undefined) throw danglingLink(named);
  if (editor?.saves === false) await editor.assertSaved(relative, named);
}
