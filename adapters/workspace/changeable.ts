import path from "node:path";
import { ToolError } from "../../tools/index.ts";
import { type Confinement, fromRoot } from "./confinement.ts";
import { notAFile, openInside } from "./open-path.ts";
import { openRemovable, type RemoveOptions } from "./remove.ts";
import { assertAllowed, type IsDenied } from "./rules.ts";
import { danglingLink, notAFolder, targetIn } from "./target.ts";

type CheckOptions = Omit<RemoveOptions, "expects">;

/** Checks that a file may be removed (L9). */
export async function assertRemovable(
  confinement: Confinement,
  isDenied: IsDenied,
  options: CheckOptions,
): Promise<void> {
  await using _folder = await openRemovable(confinement, isDenied, options);
}

/** Checks that a file may be written, without the creation of its folders (L9). */
export async function assertWritable(
  confinement: Confinement,
  isDenied: IsDenied,
  { absolute, named, editor }: CheckOptions,
): Promise<void> {
  const { root } = confinement;
  if (absolute === root) throw notAFile(named);
  let missing = "";
  for (let at = absolute; ; at = path.dirname(at)) {
    try {
      await using found = await openInside(confinement, at, named);
      const stat = await found.handle.stat();
      const relative = fromRoot(root, path.join(found.real, missing));
      assertAllowed(isDenied, relative, named);
      if (missing === "" && !stat.isFile()) throw notAFile(named);
      if (missing !== "" && !stat.isDirectory()) throw notAFolder(named);
      const [name = ""] = missing.split(path.sep);
      if (missing !== "" && (await targetIn(found, name, named)) !== undefined) throw danglingLink(named);
      if (editor?.saves === false) await editor.assertSaved(relative, named);
      return;
    } catch (error) {
      const isMissing = error instanceof ToolError && error.code === "not_found";
      if (!isMissing || at === path.dirname(at)) throw error;
      missing = path.join(path.basename(at), missing);
    }
  }
}
