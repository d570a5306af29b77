import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Clock } from "../../actors/protocol/index.ts";
import { PRIVATE_FOLDER } from "../../store/files/index.ts";
import type { GitCall, GitOutput } from "./git.ts";
import type { CheckpointLimits } from "./limits.ts";
import { Refusal } from "./refused.ts";
import type { Store } from "./store.ts";

/** One piece of work on a store: with a folder, an index and a deadline of its own. */
export interface Call {
  readonly store: Store;
  readonly limits: CheckpointLimits;
  /** Its own folder, gone when it is over. */
  readonly folder: string;
  /** Git on the workspace. A longer text to read or another work tree come with `call`. */
  git(args: readonly string[], call?: Partial<GitCall>): Promise<GitOutput>;
  /** From here on nothing stops it: what has begun to write files must come to its end. */
  unstoppable(): void;
}

export interface CallOptions {
  readonly store: Store;
  readonly limits: CheckpointLimits;
  readonly clock: Clock;
  /** Ends it before its time. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Does one piece of work. Two of them, also of two processes, never meet: each has its own folder with its own
 * index, objects are named by their content, and each checkpoint has a ref of its own name.
 */
export async function inCall<T>(options: CallOptions, work: (call: Call) => Promise<T>): Promise<T> {
  const { store, limits, clock, signal } = options;
  const folder = path.join(store.dir, "tmp", randomUUID());
  const end = new AbortController();
  const stop = (): void => end.abort(new Refusal("stopped", "it was stopped."));
  const late = clock.after(limits.timeoutMs, () => end.abort(outOfTime(limits.timeoutMs)));
  const unbind = (): void => {
    late();
    signal?.removeEventListener("abort", stop);
  };
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await mkdir(folder, { mode: PRIVATE_FOLDER });
    return await work({
      store,
      limits,
      folder,
      git: (args, call) => store.git.run(args, { workTree: store.workspace, signal: end.signal, ...call }),
      unstoppable: unbind,
    });
  } finally {
    unbind();
    // What still runs beside a failure ends with it.
    end.abort(new Refusal("stopped", "it is over."));
    await rm(folder, { recursive: true, force: true });
  }
}

const outOfTime = (timeoutMs: number): Refusal =>
  new Refusal(
    "time",
    `it took longer than ${timeoutMs / 1000} s (timeoutMs). Let .gitignore leave out what needs no checkpoint, or raise the limit.`,
  );
