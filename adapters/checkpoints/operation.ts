import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "../../ports/clock.ts";
import { PRIVATE_FOLDER } from "../../store/files/data-folder.ts";
import { CheckpointError, RAISE_LIMIT } from "./error.ts";
import type { GitCall, GitOutput } from "./git.ts";
import type { CheckpointLimits } from "./limits.ts";
import type { Store } from "./store.ts";

/** One operation on a store, with its own temporary folder and deadline. */
export interface Operation {
  readonly store: Store;
  readonly limits: CheckpointLimits;
  /** Temporary folder, removed at the end of the operation. */
  readonly folder: string;
  /** Aborted when the operation is cancelled or its time is over. */
  readonly signal: AbortSignal;
  /** Runs git on the workspace; `call` sets its input, its index or another work tree. */
  git(args: readonly string[], call?: Partial<GitCall>): Promise<GitOutput>;
  /** Ignores the signal and the deadline from here on: files that are half written must be completed. */
  ignoreAbort(): void;
}

export interface OperationOptions {
  readonly store: Store;
  readonly limits: CheckpointLimits;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs one operation. Concurrent ones, also of other processes, don't conflict: each has its own folder and index,
 * objects are named by their content, and each checkpoint has its own ref.
 */
export async function runOperation<T>(
  { store, limits, clock, signal }: OperationOptions,
  run: (operation: Operation) => Promise<T>,
): Promise<T> {
  const folder = path.join(store.dir, "tmp", randomUUID());
  const abort = new AbortController();
  const stop = (): void => abort.abort(new CheckpointError("stopped", "the operation was cancelled."));
  const cancelTimer = clock.after(limits.timeoutMs, () => abort.abort(timeout(limits.timeoutMs)));
  const ignoreAbort = (): void => {
    cancelTimer();
    signal?.removeEventListener("abort", stop);
  };
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await mkdir(folder, { mode: PRIVATE_FOLDER });
    return await run({
      store,
      limits,
      folder,
      signal: abort.signal,
      git: (args, call) => store.git.run(args, { workTree: store.workspace, signal: abort.signal, ...call }),
      ignoreAbort,
    });
  } finally {
    ignoreAbort();
    // After a failure, parallel git processes may still run.
    stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const timeout = (timeoutMs: number): CheckpointError =>
  new CheckpointError("time", `it took longer than ${timeoutMs / 1000} s (timeoutMs). ${RAISE_LIMIT}`);
