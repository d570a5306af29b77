import type { CheckpointDiff, Checkpoints } from "../../adapters/index.ts";
import { CliError } from "../error.ts";
import { changesNothing, formatFailedRestore, formatRestore, printable } from "../show/index.ts";
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
  const candidates = candidatesFor(context, argument);
  const checkpoints = await openTaskCheckpoints(context);
  const target = await firstThatDiffers(checkpoints, candidates);
  if (target === undefined) {
    const named = argument === "" ? "every checkpoint of the task" : "that checkpoint";
    say(`The files match ${named}. Nothing was changed.`);
    return;
  }
  const { hash, name, diff } = target;
  showDiff(context, diff.text, "The restore is of all of them.");
  for (const line of formatRestore(diff, name, root.workspace)) say(printable(line));
  if (!/^(y|yes)$/i.test((await ask("Restore these files? y/n: ")).trim())) {
    say("Nothing was changed.");
    return;
  }
  // The task may have continued meanwhile.
  assertAtRest(context, "restore files");
  const onUndo = (undo: string): void => say(`To undo this: /undo ${undo}`);
  const done = await checkpoints.restore(hash, { present: diff.present, onUndo });
  if (!done.ok) throw new CliError(`${name} was not restored: ${done.reason}`);
  if (done.failed.length > 0) throw new CliError(formatFailedRestore(done));
  say(`Restored ${printable(name)}. The conversation stays; the next request names the changed files.`);
}

type Candidate = Pick<Target, "hash" | "name">;

/** The named checkpoint, or those of the task, the newest first. */
function candidatesFor(context: SlashContext, argument: string): readonly Candidate[] {
  if (argument !== "") return [{ hash: argument, name: `the checkpoint ${argument.slice(0, 12)}` }];
  const newest = checkpointsOf(context).toReversed().slice(0, COMPARED_MAX);
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
