import type { CheckpointDiff, Checkpoints } from "../../adapters/checkpoints/checkpoints.ts";
import { printable } from "../../client/printable/printable.ts";
import type { Task } from "../../runtime/task/task.ts";
import { CliError } from "../error.ts";
import { changesNothing, formatFailedRestore, formatRestore } from "../show/restore.ts";
import { assertAtRest } from "./at-rest.ts";
import { showDiff } from "./diff-lines.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";
import { checkpointsOf, nameOf, openTaskCheckpoints } from "./task-checkpoints.ts";

/** Maximum checkpoints that are compared with the files, the newest first. */
const COMPARED_MAX = 50;

/** `/undo`: restores the files of the newest checkpoint that differs from them, so that each one goes a step back. */
export const undoCommand: SlashCommand = {
  usage: "/undo [CHECKPOINT]",
  about: "restore the files of the last checkpoint that differs, or of this one; the conversation stays",
  run: undo,
};

/** A checkpoint, and what restoring it changes. */
interface Target {
  readonly hash: string;
  readonly name: string;
  readonly diff: CheckpointDiff;
}

async function undo(context: SlashContext, argument: string): Promise<void> {
  const { say, ask, root } = context;
  assertAtRest(context, "restore files");
  const checkpoints = await openTaskCheckpoints(context);
  const target = await firstThatDiffers(checkpoints, await candidatesFor(context, checkpoints, argument));
  if (target === undefined) {
    const named = argument === "" ? "every earlier checkpoint of the task" : "that checkpoint";
    say(`The files match ${named}. Nothing was changed.`);
    return;
  }
  const { hash, name, diff } = target;
  showDiff(context, diff.text, "The restore includes all of them.");
  for (const line of formatRestore(diff, name, root.workspace)) say(printable(line));
  if (!/^(y|yes)$/i.test((await ask("Restore these files? y/n: ")).trim())) {
    say("Nothing was changed.");
    return;
  }
  // The task may have continued in the meantime.
  assertAtRest(context, "restore files");
  const onUndo = (undo: string): void => say(`To undo this: /undo ${undo}`);
  const done = await checkpoints.restore(hash, { present: diff.present, onUndo });
  if (!done.ok) throw new CliError(`${name} was not restored: ${done.reason}`);
  if (done.failed.length > 0) throw new CliError(formatFailedRestore(done));
  restored.set(root, hash);
  say(`Restored ${printable(name)}. The conversation stays; the next request names the changed files.`);
}

type Candidate = Pick<Target, "hash" | "name">;

/** The checkpoint that was restored last, as it was named, by the task that is run. */
const restored = new WeakMap<Task, string>();

/** The named checkpoint, or the checkpoints of the task, the newest first: before the restored one, while the files match it. */
async function candidatesFor(
  context: SlashContext,
  checkpoints: Checkpoints,
  argument: string,
): Promise<readonly Candidate[]> {
  if (argument !== "") return [{ hash: argument, name: `the checkpoint ${argument.slice(0, 12)}` }];
  const all = checkpointsOf(context);
  const name = restored.get(context.root);
  const last = name === undefined ? -1 : all.findLastIndex(({ hash }) => hash.startsWith(name));
  const matched = last < 0 ? undefined : await checkpoints.diff(all[last]?.hash ?? "");
  const isMatched = matched?.ok === true && changesNothing(matched);
  const newest = (isMatched ? all.slice(0, last) : all).toReversed().slice(0, COMPARED_MAX);
  return newest.map((each) => ({ hash: each.hash, name: nameOf(each) }));
}

async function firstThatDiffers(
  checkpoints: Checkpoints,
  candidates: readonly Candidate[],
): Promise<Target | undefined> {
  for (const { hash, name } of candidates) {
    const diff = await checkpoints.diff(hash);
    if (!diff.ok) throw new CliError(`${name} can't be compared: ${diff.reason}`);
    if (!changesNothing(diff)) return { hash, name, diff };
  }
  return undefined;
}
