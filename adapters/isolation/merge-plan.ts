import type { ConflictChoice, MergeConflict } from "../../ports/subtask-files.ts";
import { mergeTexts } from "../../tools/diff/three-way.ts";
import { fileVersion, NO_FILE } from "../../tools/file-version.ts";
import { decodeText, encodeText, encodingOf, withoutMark } from "../../tools/text-encoding.ts";
import {
  type FileChange,
  type FileState,
  hasSameContent,
  isOutside,
  isSameFile,
  stateVersion,
} from "./file-state.ts";
import { leadsInside } from "./symlinks.ts";

/** A change of one file of the parent, which has the version `expects`; for a link, of its state. */
export type PlannedChange = { readonly path: string; readonly expects: string } & (
  | { readonly kind: "remove" }
  /** `target`: null removes the link. */
  | { readonly kind: "link"; readonly target: Uint8Array | null }
  | {
      readonly kind: "write";
      /** Undefined: the content stays. */
      readonly bytes: Uint8Array | undefined;
      readonly isExecutable: boolean;
    }
);

/** The plan for one file. Both are absent where the parent's file stays as it is. */
export interface FilePlan {
  readonly change?: PlannedChange;
  /** A conflict that `change` resolves; without a change: one that is not resolved, unless the parent's version is kept. */
  readonly conflict?: MergeConflict;
}

export interface PlanOptions {
  readonly conflicts: ConflictChoice;
  /** The name of the subtask's side, for markers. */
  readonly label: string;
  /** The workspace of the parent. */
  readonly root: string;
}

/** The way in which the change of a subtask gets into a file that the parent has as `here`: a three-way merge. */
export async function planFile(change: FileChange, here: FileState, options: PlanOptions): Promise<FilePlan> {
  const { path, before, after } = change;
  const unmergeable = unmergeableReason(change) ?? (await outsideReason(change, options.root));
  if (unmergeable !== undefined) return { conflict: { path, reason: unmergeable } };
  if (await isSameFile(here, after)) return {};
  if (await isSameFile(here, before)) return { change: await taken(path, here, after) };
  return resolved(change, here, options);
}

const isOther = (state: FileState): boolean => state?.kind === "other";

function unmergeableReason(change: FileChange): string | undefined {
  if (isOutside(change)) return "it is outside of the workspace";
  if (isOther(change.before) || isOther(change.after))
    return "a submodule or a name that is not UTF-8 is not merged: change it by hand";
  if (change.before?.kind === "link" && change.after?.kind === "file")
    return "a file in place of a symlink is not merged: change it by hand";
  return undefined;
}

async function outsideReason({ path, after }: FileChange, root: string): Promise<string | undefined> {
  if (after?.kind !== "link") return undefined;
  const target = Buffer.from(await after.read()).toString();
  if (await leadsInside(root, path, target)) return undefined;
  return `the symlink leads to ${JSON.stringify(target)}, which is absolute or out of the workspace: create it by hand`;
}

const isLink = (state: FileState): boolean => state?.kind === "link";

/** Both sides changed the file. */
async function resolved(change: FileChange, here: FileState, options: PlanOptions): Promise<FilePlan> {
  const { path, after } = change;
  if (isOther(here) || (isLink(here) && !isLink(after)))
    return { conflict: { path, reason: "the parent has a symlink or a folder there" } };
  const merged = await mergedText(change, here, options.label);
  if (merged !== undefined && merged.conflicts.length === 0)
    return { change: await written(path, here, merged.bytes, after) };
  const conflict = { path, reason: reasonOf(change, here, merged?.conflicts) };
  if (options.conflicts === "take") return { change: await taken(path, here, after), conflict };
  if (options.conflicts === "mark" && merged !== undefined)
    return { change: await written(path, here, merged.bytes, after), conflict };
  return { conflict };
}

function reasonOf({ after, before }: FileChange, here: FileState, lines: readonly number[] = []): string {
  if (after === null) return "the subtask deleted it, and the parent changed it";
  if (here === null) return "the parent deleted it, and the subtask changed it";
  if (lines.length > 0) return `both changed the lines from ${lines.join(", ")} on`;
  return before === null ? "both created it" : "both changed it, and it is not text";
}

/** The file of the subtask in place of the parent's. */
async function taken(path: string, here: FileState, after: FileState): Promise<PlannedChange> {
  if (isLink(after) || isLink(here))
    return {
      kind: "link",
      path,
      expects: await stateVersion(here),
      target: after === null ? null : await after.read(),
    };
  if (after === null) return { kind: "remove", path, expects: await versionOf(here) };
  return written(path, here, await after.read(), after);
}

async function written(
  path: string,
  here: FileState,
  bytes: Uint8Array,
  after: FileState,
): Promise<PlannedChange> {
  const isSame = here !== null && Buffer.compare(await here.read(), bytes) === 0;
  return {
    kind: "write",
    path,
    expects: await versionOf(here),
    bytes: isSame ? undefined : bytes,
    isExecutable: after?.isExecutable ?? false,
  };
}

const versionOf = async (here: FileState): Promise<string> =>
  here === null ? NO_FILE : fileVersion(await here.read());

/** Both changes in one text, with markers where they differ; undefined where a side has no file or is not text. */
async function mergedText(
  { before, after }: FileChange,
  here: FileState,
  label: string,
): Promise<{ readonly bytes: Uint8Array; readonly conflicts: readonly number[] } | undefined> {
  if (here === null || after === null || isLink(here) || isLink(after)) return undefined;
  if (await hasSameContent(here, after)) return { bytes: await here.read(), conflicts: [] };
  const bytes = await here.read();
  const [base, ours, theirs] = [
    before === null ? "" : decodeText(await before.read()),
    decodeText(bytes),
    decodeText(await after.read()),
  ];
  if (base === undefined || ours === undefined || theirs === undefined) return undefined;
  const { text, conflicts } = mergeTexts({
    base,
    ours: { text: ours, label: "this task" },
    theirs: { text: theirs, label },
  });
  const encoding = encodingOf(bytes);
  return { bytes: encodeText(encoding === "utf-8" ? text : withoutMark(text), encoding), conflicts };
}
