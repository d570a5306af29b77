import type { Stats } from "node:fs";
import { mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import type { FileVersion, WriteResult } from "../../ports/workspace.ts";
import { replaceContent } from "../../store/files/replace-content.ts";
import { systemCode } from "../../store/files/system-code.ts";
import { ToolError } from "../../tools/error.ts";
import { type Confinement, fromRoot, isInside, realPathOf } from "./confinement.ts";
import type { EditorFiles } from "./editor-files.ts";
import { assertExpected } from "./expected.ts";
import { nameShown, othersAlike } from "./look-alike.ts";
import { notAFile, type OpenPath, openInside, openNearest, outside, systemError } from "./open-path.ts";
import { assertAllowed, type IsDenied } from "./rules.ts";
import { saveChecked } from "./save.ts";
import { assertWritableFile, danglingLink, notAFolder, targetIn } from "./target.ts";

/** Symlinks to files that a write follows. */
const HOPS_MAX = 8;

export interface FileWrite {
  readonly absolute: string;
  /** The path as the call gave it, for messages. */
  readonly named: string;
  readonly bytes: Uint8Array;
  /** The version that the file must have; undefined: any. */
  readonly expects: FileVersion | undefined;
  /** Maximum bytes of a file that is compared. */
  readonly maxBytes: number;
  /** The mode and the owner of a new file; undefined: the process decides. */
  readonly like: Stats | undefined;
  /** The editor of the workspace, and the text that it saves; undefined: it saves no text. */
  readonly editor: { readonly files: EditorFiles; readonly text: string | undefined } | undefined;
}

/**
 * Writes through the file's folder, which is checked and held open (L9), or the editor saves the checked file. Missing
 * folders are created the same way, one by one.
 */
export async function writeInside(
  confinement: Confinement,
  isDenied: IsDenied,
  options: FileWrite,
  hops = 0,
): Promise<WriteResult> {
  const { absolute, named, editor } = options;
  if (absolute === confinement.root) throw notAFile(named);
  const name = path.basename(absolute);
  await using folder = await openFolder(confinement, path.dirname(absolute), named, isDenied);
  const target = await targetIn(folder, name, named);
  if (target?.isSymbolicLink()) return await writeThroughLink(confinement, isDenied, options, hops);
  if (target !== undefined && !target.isFile()) throw notAFile(named);
  const relative = fromRoot(confinement.root, path.join(folder.real, name));
  assertAllowed(isDenied, relative, named);
  const created = target === undefined;
  if (!created) await assertWritableFile(path.join(folder.via, name), named);
  const { expects, maxBytes } = options;
  const file = { absolute: path.join(folder.real, name), named, editor: editor?.files };
  await assertExpected(confinement, isDenied, { ...file, expects, maxBytes });
  if (editor?.text !== undefined)
    return {
      created,
      changed: await saveChecked(confinement, editor.files, editor.text, { folder, name, named }),
    };
  await editor?.files.assertSaved(relative, named);
  await replace(confinement, folder, name, target, options);
  const alike = created ? await othersAlike(confinement, isDenied, file.absolute) : [];
  return { created, ...(alike.length > 0 && { alike: alike.map(nameShown) }) };
}

/** Follows a symlink to a file inside, where everything is checked again. */
async function writeThroughLink(
  confinement: Confinement,
  isDenied: IsDenied,
  options: FileWrite,
  hops: number,
): Promise<WriteResult> {
  const { absolute, named } = options;
  const existing = hops >= HOPS_MAX ? undefined : await realpath(absolute).catch(() => undefined);
  const real = existing ?? (await realPathOf(absolute));
  if (real === undefined || !isInside(confinement.root, real)) throw outside(confinement, named);
  if (existing !== undefined)
    return writeInside(confinement, isDenied, { ...options, absolute: existing }, hops + 1);
  throw danglingLink(named);
}

/** Opens a folder, and creates it if it is missing. */
export async function openFolder(
  confinement: Confinement,
  absolute: string,
  named: string,
  isDenied: IsDenied,
): Promise<OpenPath> {
  const { opened, missing } = await openNearest(confinement, absolute, named);
  let folder = opened;
  for (const name of missing) {
    await using parent: OpenPath = folder;
    assertAllowed(isDenied, fromRoot(confinement.root, path.join(parent.real, name)), named);
    folder = await createFolder(confinement, parent, name, named);
  }
  return folder;
}

async function createFolder(
  confinement: Confinement,
  parent: OpenPath,
  name: string,
  named: string,
): Promise<OpenPath> {
  await mkdir(path.join(parent.via, name)).catch((error: unknown) => {
    const code = systemCode(error);
    if (code !== "EEXIST") throw code === "ENOTDIR" ? notAFolder(named) : systemError(error, named);
  });
  const folder = await openInside(confinement, path.join(parent.via, name), named);
  const stat = await folder.handle.stat();
  // A symlink here is an attack: the folder was missing a moment ago.
  if (stat.isDirectory() && folder.real === path.join(await parent.realNow(), name)) return folder;
  await folder.handle.close();
  throw outside(confinement, named);
}

async function replace(
  confinement: Confinement,
  folder: OpenPath,
  name: string,
  target: Stats | undefined,
  { named, bytes, like }: FileWrite,
): Promise<void> {
  const beforeChange = async (): Promise<void> => {
    if (!isInside(confinement.root, await folder.realNow())) throw outside(confinement, named);
  };
  try {
    await replaceContent(path.join(folder.via, name), bytes, { target, like, beforeChange });
  } catch (error) {
    if (error instanceof ToolError) throw error;
    if (!["ENOSPC", "EDQUOT"].includes(systemCode(error))) throw systemError(error, named);
    throw new ToolError(
      "FAILED",
      `'${named}' was not written: the disk is full (${systemCode(error)}). It is as it was. Ask the user to free space.`,
      { cause: error },
    );
  }
}
