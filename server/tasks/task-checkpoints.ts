import { HostError } from "../../runtime/task/errors.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { CheckpointDiffInfo, Restored } from "../../wire/http/api.ts";
import { RejectedError, ServerError } from "../error.ts";

type Checkpoints = Exclude<Awaited<ReturnType<Task["openCheckpoints"]>>, { readonly off: string }>;
type Failure = Extract<Awaited<ReturnType<Checkpoints["diff"]>>, { readonly ok: false }>;

/** The checkpoints of a task by its messages, oldest first. */
export const checkpointsIn = ({ log }: Task): { readonly hash: string; readonly at: number }[] =>
  log
    .toArray()
    .flatMap(({ say, text, ts }) => (say === "checkpoint_saved" && text ? [{ hash: text, at: ts }] : []));

/**
 * The changes that a restore would make.
 * @throws ServerError `CHECKPOINTS_OFF` @throws RejectedError with a code of `CheckpointErrorCode`
 */
export async function diffCheckpoint(task: Task, hash: string): Promise<CheckpointDiffInfo> {
  const { files, text, present } = succeeded(await (await openFor(task)).diff(hash));
  return { files: copied(files), text, present };
}

/**
 * Restore the files, unless they have changed since the diff that `present` identifies.
 * @throws ServerError `CHECKPOINTS_OFF`
 * @throws HostError `TASK_BUSY` while the task works: it would change the restored files
 * @throws RejectedError with a code of `CheckpointErrorCode`
 */
export async function restoreCheckpoint(task: Task, hash: string, present: string): Promise<Restored> {
  const checkpoints = await openFor(task);
  if (task.state.isRunning)
    throw new HostError(
      "TASK_BUSY",
      `Task ${task.id} works, and would change the restored files. Cancel it first, or wait until it asks or rests.`,
    );
  const { files, undo, failed } = succeeded(await checkpoints.restore(hash, { present }));
  return {
    files: copied(files),
    ...(undo !== undefined && { undo }),
    failed: failed.map(({ path, why }) => ({ path, why })),
  };
}

async function openFor(task: Task): Promise<Checkpoints> {
  const opened = await task.openCheckpoints();
  if ("off" in opened) throw new ServerError("CHECKPOINTS_OFF", opened.off);
  return opened;
}

function succeeded<T extends { readonly ok: true }>(result: T | Failure): T {
  if (!result.ok) throw new RejectedError({ code: result.code, message: result.reason });
  return result;
}

type Files = Readonly<Record<"added" | "changed" | "removed", readonly string[]>>;

const copied = ({ added, changed, removed }: Files): CheckpointDiffInfo["files"] => ({
  added: [...added],
  changed: [...changed],
  removed: [...removed],
});
