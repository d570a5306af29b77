import {
  type CheckpointDiff,
  type Checkpoints,
  openCheckpoints,
} from "../../adapters/checkpoints/checkpoints.ts";
import { RESTORE_LIMITS } from "../../adapters/checkpoints/limits.ts";
import { printable } from "../../client/printable/printable.ts";
import { CliError } from "../error.ts";
import { changesNothing, formatFailedRestore, formatRestore } from "../show/restore.ts";
import { showDiff } from "./diff-lines.ts";
import type { SlashContext } from "./slash-context.ts";

/** A checkpoint in the messages of a task. */
export interface TaskCheckpoint {
  /** Its name. */
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The checkpoints of the task and of its subtasks in this run, oldest first. @throws CliError if there are none */
export function checkpointsOf({ tasks }: SlashContext): readonly [TaskCheckpoint, ...TaskCheckpoint[]] {
  const all = tasks().flatMap(({ log }) =>
    log
      .toArray()
      .flatMap(({ say, text, ts }) => (say === "checkpoint_saved" && text ? [{ hash: text, at: ts }] : [])),
  );
  const [first, ...others] = all.toSorted((a, b) => a.at - b.at);
  if (first !== undefined) return [first, ...others];
  throw new CliError("The task has no checkpoint: it has changed no file yet, or checkpoints are off.");
}

/** @throws CliError where there are no checkpoints, as without git */
export async function openTaskCheckpoints({ root, dataDir }: SlashContext): Promise<Checkpoints> {
  const opened = await openCheckpoints({ workspace: root.workspace, dataDir, limits: RESTORE_LIMITS });
  if ("off" in opened) throw new CliError(opened.off);
  return opened;
}

/** Such as `the checkpoint of 14:05:10 (3f2a91c04b7d)`. */
export function nameOf({ hash, at }: TaskCheckpoint): string {
  return `the checkpoint of ${new Date(at).toLocaleTimeString("en-GB")} (${hash.slice(0, 12)})`;
}

/** A checkpoint, and what restoring it changes. */
export interface Restorable {
  readonly hash: string;
  readonly name: string;
  readonly diff: CheckpointDiff;
}

/** Compare a checkpoint with the files; undefined where they are the same. @throws CliError if that is not possible */
export async function compare(
  checkpoints: Checkpoints,
  { hash, name }: Pick<Restorable, "hash" | "name">,
): Promise<Restorable | undefined> {
  const diff = await checkpoints.diff(hash);
  if (!diff.ok) throw new CliError(`${name} can't be compared: ${diff.reason}`);
  return changesNothing(diff) ? undefined : { hash, name, diff };
}

/** Show what a restore changes. */
export function showRestore(context: SlashContext, { diff, name }: Restorable, note: string): void {
  showDiff(context, diff.text, note);
  for (const line of formatRestore(diff, name, context.root.workspace)) context.say(printable(line));
}

/** Restore the files, and say how to undo it. @throws CliError for files that were not restored */
export async function restoreFiles(
  checkpoints: Checkpoints,
  { hash, name, diff }: Restorable,
  onUndo: (undo: string) => void,
): Promise<void> {
  const done = await checkpoints.restore(hash, { present: diff.present, onUndo });
  if (!done.ok) throw new CliError(`${name} was not restored: ${done.reason}`);
  if (done.failed.length > 0) throw new CliError(formatFailedRestore(done));
}

/** Whether an answer to `y/n` is a yes. */
export const isYes = (answer: string): boolean => /^(y|yes)$/i.test(answer.trim());
