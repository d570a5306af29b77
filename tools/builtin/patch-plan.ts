import type { ResolvedPath, Workspace } from "../../ports/workspace.ts";
import { applyHunks } from "../diff/apply-hunks.ts";
import type { FilePatch } from "../diff/patch.ts";
import { ToolError } from "../error.ts";
import { type FileBefore, readBefore, readText, textIn } from "./file-before.ts";
import { type FileEdit, pathToEdit } from "./file-edit.ts";

/** A file of a patch that was checked. Its text after the patch is empty if it is deleted. */
export interface PatchedFile extends FileEdit {
  readonly patch: FilePatch;
}

/** Maximum bytes of the texts of all files of a patch. */
const FILES_MAX_BYTES = 50_000_000;

/** Every path that the patch names, resolved. @throws ToolError `DIFF_INVALID` if two are the same file */
export async function resolvePaths(
  files: readonly FilePatch[],
  workspace: Workspace,
): Promise<readonly ResolvedPath[]> {
  const named = files.flatMap((file) => {
    const own = { path: file.path, exact: file.kind !== "update" };
    return file.kind === "update" && file.movesTo !== undefined
      ? [own, { path: file.movesTo, exact: true }]
      : [own];
  });
  const paths = await Promise.all(named.map(({ path, exact }) => workspace.resolve(path, { exact })));
  const seen = new Set<string>();
  for (const { path, real } of paths) {
    if (seen.has(real))
      throw new ToolError(
        "DIFF_INVALID",
        `The patch names the file '${path}' twice: expected each file once. Put all its hunks into one *** Update File.`,
      );
    seen.add(real);
  }
  return paths;
}

/**
 * Check all files of a patch, and compute their new texts, without a change.
 *
 * @throws ToolError `DIFF_INVALID`, `NO_MATCH`, `EXISTS`, `NOT_FOUND`, `BINARY`, `TOO_LARGE`, and the codes of the workspace
 */
export async function planPatch(
  files: readonly FilePatch[],
  workspace: Workspace,
): Promise<readonly PatchedFile[]> {
  await resolvePaths(files, workspace);
  const planned: PatchedFile[] = [];
  let bytes = 0;
  for (const patch of files) {
    const file = await planFile(patch, workspace);
    bytes += Buffer.byteLength(textIn(file.before));
    if (bytes > FILES_MAX_BYTES)
      throw new ToolError(
        "TOO_LARGE",
        `The files of the patch have more than ${FILES_MAX_BYTES} bytes together. Send several patches.`,
      );
    planned.push(file);
  }
  return planned;
}

async function planFile(patch: FilePatch, workspace: Workspace): Promise<PatchedFile> {
  switch (patch.kind) {
    case "add":
      return { patch, before: await readNone(workspace, patch.path, "*** Update File"), after: patch.text };
    case "delete":
      await workspace.assertChangeable(patch.path, "remove");
      return { patch, before: await readBefore(workspace, patch.path), after: "" };
    case "update": {
      const { movesTo, hunks } = patch;
      const path = await pathToEdit(workspace, patch);
      await workspace.assertChangeable(path, movesTo === undefined ? "write" : "remove");
      if (movesTo !== undefined) await readNone(workspace, movesTo, "another path");
      const before = await readText(workspace, path);
      return { patch: { ...patch, path }, before, after: applyHunks(path, before.text, hunks) };
    }
  }
}

/** @throws ToolError `EXISTS`, and the codes of the workspace */
async function readNone(workspace: Workspace, path: string, instead: string): Promise<FileBefore> {
  await workspace.assertChangeable(path, "write");
  const before = await readBefore(workspace, path);
  if (before.kind === "none") return before;
  throw new ToolError(
    "EXISTS",
    `'${path}' exists, and nothing was changed: the patch expects that there is no such file. Use ${instead}.`,
  );
}
