import { posix } from "node:path";
import { z } from "zod";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { type FilePatch, parsePatch, pathsInPatch } from "../diff/patch.ts";
import { fileChanged } from "../file-version.ts";
import type { DescribePorts } from "../ports.ts";
import type { Description } from "../tool.ts";
import { changeFrom, sinceReview } from "./file-edit.ts";
import { applyChanges } from "./patch-changes.ts";
import { type PatchedFile, planPatch, resolvePaths } from "./patch-plan.ts";

/** Maximum length of a patch. */
const PATCH_MAX_CHARS = 2_000_000;

const input = z.object({
  patch: z.string().min(1).max(PATCH_MAX_CHARS).describe("The patch, from *** Begin Patch to *** End Patch."),
});

/** Changes several files by one patch: all of them are checked before the first is written. */
export const applyPatch = defineTool({
  name: "apply_patch",
  displayName: "Apply patch",
  group: "edit",
  effect: "writes",
  description: `Adds, changes, moves and deletes text files by one patch:
*** Begin Patch
*** Add File: notes/new.txt
+each line of the new file
*** Update File: src/old.ts
*** Move to: src/new.ts
@@ a line of the file above the change
 three lines as they are
-a line to remove
+a line to put there
 three lines as they are
*** Delete File: src/unused.ts
*** End Patch
Move to, and the line after @@, may be left out. *** End of File after a hunk says that its lines are the last. Hunks are in the order of the file. All files are changed or none.`,
  inputSchema: input,
  partial: (raw) => {
    const content = textOf(raw, "patch");
    const [path] = pathsInPatch(content ?? "");
    return path === undefined
      ? undefined
      : boundedDescriptor({ tool: "appliedDiff", path, content }, PARTIAL_MAX_BYTES);
  },
  patches: ({ patch }) => filesOf(patch).join(", "),
  files: ({ patch }) => filesOf(patch),
  describe,
  execute: async ({ patch }, { workspace, base }) => {
    const files = parsePatch(patch);
    const planned = await sinceReview(FILE, () => planPatch(files, workspace));
    if (base !== undefined && base !== deletedVersions(planned)) throw fileChanged(FILE);
    return applyChanges(planned, workspace);
  },
});

const FILE = "A file of the patch";

/** The versions of the files that are deleted. The others are changed in parts, or must not exist. */
const deletedVersions = (files: readonly PatchedFile[]): string =>
  files.flatMap(({ patch, before }) => (patch.kind === "delete" ? [before.version] : [])).join();

const filesOf = (patch: string): readonly string[] =>
  pathsInPatch(patch).map((path) => posix.normalize(path));

async function describe(
  { patch }: z.output<typeof input>,
  { workspace }: DescribePorts,
): Promise<Description> {
  const files = parsePatch(patch);
  const paths = await resolvePaths(files, workspace);
  const [first] = paths;
  const fields = {
    tool: "appliedDiff",
    path: first?.path,
    isOutsideWorkspace: paths.some(({ inside }) => !inside),
  };
  // Such a file is never read; the review rejects the call by `paths`.
  if (paths.some(({ inside, ignored }) => !inside || ignored))
    return { text: boundedDescriptor({ ...fields, diff: patch }), paths };
  const planned = await planPatch(files, workspace);
  const changes = planned.map(shownChange);
  const diff = changes.map((change) => `${change.title}\n${change.diff}`).join("\n");
  const diffStats = {
    added: changes.reduce((sum, { stats }) => sum + stats.added, 0),
    removed: changes.reduce((sum, { stats }) => sum + stats.removed, 0),
  };
  const batchDiffs = changes.map(({ path, title, ...change }) => ({
    path,
    key: title,
    changeCount: 1,
    content: change.diff,
    diffStats: change.stats,
  }));
  const several = batchDiffs.length > 1 ? { batchDiffs } : {};
  return {
    text: boundedDescriptor({ ...fields, diff, content: diff, diffStats, ...several }),
    paths,
    diff,
    base: deletedVersions(planned),
  };
}

function shownChange({ patch, before, after }: PatchedFile) {
  const { diff, stats } = changeFrom(patch.path, before, after);
  return { path: patch.path, title: titleOf(patch), diff, stats };
}

function titleOf(patch: FilePatch): string {
  if (patch.kind === "add") return `--- new file ${patch.path}`;
  if (patch.kind === "delete") return `--- deleted file ${patch.path}`;
  return patch.movesTo === undefined ? `--- ${patch.path}` : `--- ${patch.path}, moved to ${patch.movesTo}`;
}
