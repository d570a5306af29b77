import { randomUUID } from "node:crypto";
import { rename, rm, symlink, unlink } from "node:fs/promises";
import path from "node:path";
import type { Workspace } from "../../ports/workspace.ts";
import { syncFolders } from "../../store/files/sync-folders.ts";
import { fileChanged } from "../../tools/file-version.ts";
import { isInside, realPathOf, strictestCheck } from "../workspace/confinement.ts";
import { outside } from "../workspace/open-path.ts";
import { openFolder } from "../workspace/write.ts";
import { fileOnDisk } from "./file-on-disk.ts";
import { stateVersion } from "./file-state.ts";

interface LinkChange {
  readonly path: string;
  /** The version of the state that the file must have. */
  readonly expects: string;
  /** Null removes the link. */
  readonly target: Uint8Array | null;
}

/**
 * Whether a symlink at this path of a workspace leads to a path in it. One that leads up after it led down does not: it could go
 * through another new link.
 */
export async function leadsInside(root: string, name: string, target: string): Promise<boolean> {
  if (
    path.isAbsolute(target) ||
    target.includes("\ufffd") ||
    /(^|\/)(?!\.\.(\/|$))[^/]+\/(.*\/)?\.\.(\/|$)/.test(target)
  )
    return false;
  const folder = await realPathOf(path.join(root, path.dirname(name)));
  if (folder === undefined || !isInside(root, folder)) return false;
  const lexical = path.resolve(folder, target);
  const real = await realPathOf(lexical);
  return isInside(root, lexical) && real !== undefined && isInside(root, real);
}

/** Create, replace or remove a symlink, only if the file has the expected state. @throws ToolError `CHANGED`, `OUTSIDE_WORKSPACE` */
export async function applyLink(
  { path: name, target, expects }: LinkChange,
  { root }: Workspace,
): Promise<void> {
  const confinement = { root, check: await strictestCheck() };
  const base = path.basename(name);
  // The rules of the workspace are checked before any change.
  await using folder = await openFolder(confinement, path.join(root, path.dirname(name)), name, () => false);
  if ((await stateVersion(await fileOnDisk(folder.via, base))) !== expects)
    throw fileChanged(`'${name}'`, "Merge again.");
  if (!isInside(root, await folder.realNow())) throw outside(confinement, name);
  const file = path.join(folder.via, base);
  if (target === null) await unlink(file);
  else await replaceByLink(file, Buffer.from(target));
  await syncFolders(folder.via);
}

async function replaceByLink(file: string, target: Buffer): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${randomUUID()}.tmp`);
  await symlink(target, temporary);
  try {
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
