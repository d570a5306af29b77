import { z } from "zod";
import {
  CONFLICT_CHOICES,
  type MergeConflict,
  type MergeResult,
  type SubtaskFiles,
} from "../../ports/subtask-files.ts";
import { defineTool } from "../define-tool.ts";
import { boundedDescriptor, PARTIAL_MAX_BYTES, textOf } from "../descriptor.ts";
import { ToolError } from "../error.ts";
import { fileChanged } from "../file-version.ts";
import type { DescribePorts } from "../ports.ts";
import type { Description, Tool } from "../tool.ts";

const ID_MAX_CHARS = 200;
/** Files and conflicts that a result names. */
const NAMES_MAX = 200;

const id = z.string().min(1).max(ID_MAX_CHARS).describe("The id of the subtask, as its result names it.");

/** Merges what a subtask changed in a worktree or copy of its own. */
export const mergeSubtask: Tool = {
  ...defineTool({
    name: "merge_subtask",
    displayName: "Merge subtask",
    group: "always",
    effect: "writes",
    description:
      "Merges the files that a subtask changed into this workspace, and removes the subtask's own files. It is for subtasks that work on files of their own: until it is called, nothing of them is in this workspace. Also for one that failed or was cancelled. If you and the subtask changed the same lines, nothing is merged and the conflicts are listed.",
    inputSchema: z.object({
      id,
      conflicts: z
        .enum(CONFLICT_CHOICES)
        .nullish()
        .describe(
          "The choice for files in conflict. stop (default): merge nothing. mark: write both versions with conflict markers, which you then edit. keep: keep the files of this workspace. take: take the files of the subtask.",
        ),
    }),
    partial: (raw) => partial("mergeSubtask", textOf(raw, "id")),
    describe: (call, ports) => describe("merge", call.id, ports),
    execute: async ({ id: subtaskId, conflicts }, { workspace, subtaskFiles, base }) => {
      const files = assertFiles(subtaskFiles);
      const result = await files.merge(subtaskId, {
        workspace,
        conflicts: conflicts ?? "stop",
        expects: base,
      });
      const text = result.merged ? mergedText(subtaskId, result) : unmergedText(subtaskId, result.conflicts);
      return { content: [{ type: "text", text }], ...(!result.merged && { failed: true }) };
    },
  }),
  requires: "isolation",
};

/** Removes what a subtask changed in a worktree or copy of its own. */
export const declineSubtask: Tool = {
  ...defineTool({
    name: "decline_subtask",
    displayName: "Decline subtask",
    group: "always",
    effect: "writes",
    description:
      "Removes the files that a subtask changed in a worktree or copy of its own, without merging them. They can't be restored.",
    inputSchema: z.object({ id }),
    partial: (raw) => partial("declineSubtask", textOf(raw, "id")),
    describe: (call, ports) => describe("decline", call.id, ports),
    execute: async ({ id: subtaskId }, { subtaskFiles, base }) => {
      const files = assertFiles(subtaskFiles);
      if (base !== undefined && (await files.changes(subtaskId, "decline")).version !== base)
        throw fileChanged(`A file of ${subtaskId}`, "Look at the changes again, then send a new call.");
      await files.decline(subtaskId);
      return `The changes of subtask ${subtaskId} were removed, and nothing of them was merged.`;
    },
  }),
  requires: "isolation",
};

const partial = (tool: string, subtaskId: string | undefined): string | undefined =>
  subtaskId === undefined ? undefined : boundedDescriptor({ tool, id: subtaskId }, PARTIAL_MAX_BYTES);

/** The files that the call changes, or whose changes it removes, so that the same rules are about them as about an edit. */
async function describe(
  use: "merge" | "decline",
  subtaskId: string,
  { workspace, subtaskFiles }: DescribePorts,
): Promise<Description> {
  const { files, text, version } = await assertFiles(subtaskFiles).changes(subtaskId, use);
  const inside = files.filter(({ path }) => !path.startsWith("../"));
  return {
    text: boundedDescriptor({ tool: `${use}Subtask`, id: subtaskId, content: text }),
    paths: await Promise.all(inside.map(({ path }) => workspace.resolve(path, { exact: true }))),
    diff: text,
    base: version,
  };
}

/** @throws ToolError `NOT_FOUND` */
function assertFiles(files: SubtaskFiles | undefined): SubtaskFiles {
  if (files !== undefined) return files;
  throw new ToolError(
    "NOT_FOUND",
    "The subtasks of this task have no files of their own: there is nothing to merge.",
  );
}

function mergedText(
  subtaskId: string,
  { changed, conflicts }: Extract<MergeResult, { merged: true }>,
): string {
  const files = changed.length === 0 ? "No file differs" : `Changed, and not committed: ${names(changed)}`;
  const resolved =
    conflicts.length === 0 ? [] : ["In conflict, and resolved as you chose:", ...listed(conflicts)];
  return [`The changes of subtask ${subtaskId} are merged. ${files}.`, ...resolved].join("\n");
}

const unmergedText = (subtaskId: string, conflicts: readonly MergeConflict[]): string =>
  [
    `Nothing of subtask ${subtaskId} was merged, since these files are in conflict:`,
    ...listed(conflicts),
    "Call merge_subtask again with conflicts: mark writes both versions of text into the file, keep keeps the file as it is here, take takes the file of the subtask. If one is to be changed by hand, only keep merges the others. The files of the subtask stay until then.",
  ].join("\n");

const listed = (conflicts: readonly MergeConflict[]): readonly string[] => [
  ...conflicts.slice(0, NAMES_MAX).map(({ path, reason }) => `- ${path}: ${reason}`),
  ...(conflicts.length > NAMES_MAX ? [`- and ${conflicts.length - NAMES_MAX} more`] : []),
];

const names = (paths: readonly string[]): string =>
  paths.length <= NAMES_MAX
    ? paths.join(", ")
    : `${paths.slice(0, NAMES_MAX).join(", ")} and ${paths.length - NAMES_MAX} more`;
