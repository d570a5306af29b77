import { applyHunks } from "../diff/apply-hunks.ts";
import type { FilePatch } from "../diff/patch.ts";
import { ToolError } from "../error.ts";
import type { ResolvedPath, Workspace } from "../ports.ts";
import { decodeText } from "../text.ts";
import { readCurrent, readIfExists } from "./current-file.ts";

/** A file of a patch that was checked. */
export interface PatchedFile {
  readonly patch: FilePatch;
  /** Its text; empty for a new file, and for one that is not text. */
  readonly before: string;
  /** Its text after the patch; empty for a deleted file. */
  readonly after: string;
  /** The bytes that it has. Absent: it is new, or too large to be compared. */
  readonly bytes?: Uint8Array;
}

/** Maximum bytes of all files of a patch. */
const FILES_MAX_BYTES = 50_000_000;

/** Every path that the patch names, resolved. @throws ToolError `bad_diff` if two are the same file */
export async function resolvePaths(
  files: readonly FilePatch[],
  workspace: Workspace,
): Promise<readonly ResolvedPath[]> {
  const named = files.flatMap((file) =>
    file.kind === "update" && file.movesTo !== undefined ? [file.path, file.movesTo] : [file.path],
  );
  const paths = await Promise.all(named.map((path) => workspace.resolve(path)));
  const seen = new Set<string>();
  for (const { path, real } of paths) {
    if (seen.has(real))
      throw new ToolError(
        "bad_diff",
        `The patch names the file '${path}' twice: expected each file once. Put all its hunks into one *** Update File.`,
      );
    seen.add(real);
  }
  return paths;
}

/**
 * Check all files of a patch, and compute their new texts, without a change.
 *
 * @throws ToolError `bad_diff`, `no_match`, `exists`, `not_found`, `binary`, `too_large`, and those of the workspace
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
    bytes += file.bytes?.length ?? 0;
    if (bytes > FILES_MAX_BYTES)
      throw new ToolError(
        "too_large",
        `The files of the patch have more than ${FILES_MAX_BYTES} bytes together. Send several patches.`,
      );
    planned.push(file);
  }
  return planned;
}

async function planFile(patch: FilePatch, workspace: Workspace): Promise<PatchedFile> {
  switch (patch.kind) {
    case "add":
      await assertNew(workspace, patch.path, "*** Update File");
      return { patch, before: "", after: patch.text };
    case "delete":
      await workspace.assertChangeable(patch.path, "remove");
      return planDeletion(patch, workspace);
    case "update": {
      const { path, movesTo, hunks } = patch;
      await workspace.assertChangeable(path, movesTo === undefined ? "write" : "remove");
      if (movesTo !== undefined) await assertNew(workspace, movesTo, "another path");
      const { bytes, text } = await readCurrent(workspace, path);
      return { patch, bytes, before: text, after: applyHunks(path, text, hunks) };
    }
  }
}

async function planDeletion(patch: FilePatch, workspace: Workspace): Promise<PatchedFile> {
  try {
    const bytes = await workspace.read(patch.path);
    return { patch, bytes, before: decodeText(bytes) ?? "", after: "" };
  } catch (error) {
    if (error instanceof ToolError && error.code === "too_large") return { patch, before: "", after: "" };
    throw error;
  }
}

async function assertNew(workspace: Workspace, path: string, instead: string): Promise<void> {
  await workspace.assertChangeable(path, "write");
  if ((await readIfExists(workspace, path)) === undefined) return;
  throw new ToolError(
    "exists",
    `'${path}' exists, and nothing was changed: the patch expects that there is no such file. Use ${instead}.`,
  );
}
