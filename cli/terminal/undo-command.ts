import type { Checkpoints } from "../../adapters/checkpoints/checkpoints.ts";
import { printable } from "../../client/printable/printable.ts";
import type { Task } from "../../runtime/task/task.ts";
import { changesNothing } from "../show/restore.ts";
import { assertAtRest } from "./at-rest.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";
import {
  checkpointsOf,
  compare,
  isYes,
  nameOf,
  openTaskCheckpoints,
  type Restorable,
  restoreFiles,
  showRestore,
} from "./task-checkpoints.ts";

/** Maximum checkpoints that are compared with the files, the newest first. */
const COMPARED_MAX = 50;

/** `/undo`: restores the files of the newest checkpoint that differs from them, so that each one goes a step back. */
export const undoCommand: SlashCommand = {
  usage: "/undo [CHECKPOINT]",
  about: "restore the files of the last checkpoint that differs, or of this one; the conversation stays",
  run: undo,
};

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
  showRestore(context, target, "The restore includes all of them.");
  if (!isYes(await ask("Restore these files? y/n: "))) {
    say("Nothing was changed.");
    return;
  }
  // The task may have continued in the meantime.
  assertAtRest(context, "restore files");
  await restoreFiles(checkpoints, target, (undo) => say(`To undo this: /undo ${undo}`));
  restored.set(root, target.hash);
  say(
    `Restored ${printable(target.name)}. The conversation stays; the next request names the changed files.`,
  );
}

type Candidate = Pick<Restorable, "hash" | "name">;

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
): Promise<Restorable | undefined> {
  for (const candidate of candidates) {
    const found = await compare(checkpoints, candidate);
    if (found !== undefined) return found;
  }
  return undefined;
}
