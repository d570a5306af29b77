import { type Checkpoints, openCheckpoints } from "../../adapters/checkpoints/checkpoints.ts";
import { CliError } from "../error.ts";
import { RESTORE_LIMITS } from "../show/restore.ts";
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
