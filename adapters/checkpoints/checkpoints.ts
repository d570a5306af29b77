import { randomUUID } from "node:crypto";
import { type Clock, systemClock } from "../../actors/protocol/index.ts";
import { type Call, inCall } from "./call.ts";
import { type Left, type LeftOut, leftOutOf, messageOf } from "./left-out.ts";
import { type CheckpointLimits, DEFAULT_CHECKPOINT_LIMITS } from "./limits.ts";
import { shown } from "./paths.ts";
import { type Change, expectCheckpoint, type Plan, planRestore, refOf } from "./plan.ts";
import { type Refused, refusedBy } from "./refused.ts";
import { putBack } from "./restore.ts";
import { keepIndex, takeSnapshot } from "./snapshot.ts";
import { openStore, type Store } from "./store.ts";

export interface SavedCheckpoint {
  readonly ok: true;
  /** Its name in the store. */
  readonly hash: string;
  /** The one that was saved before it by the same {@link Checkpoints}. */
  readonly from?: string;
  /** Whether a file is another than in the one before. Without a change `hash` is that of the one before. */
  readonly changed: boolean;
  /** Files that it doesn't have. */
  readonly leftOut: readonly LeftOut[];
}

/** Paths that a restore adds, changes and removes. */
export interface ChangedFiles {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export interface CheckpointDiff {
  readonly ok: true;
  readonly files: ChangedFiles;
  /** A unified diff from the present to what a restore makes of it; cut at `maxDiffBytes` with a mark. */
  readonly text: string;
  /** What would be put back, but something that can't be saved stands there. */
  readonly leftAsIs: readonly LeftOut[];
  /** What the checkpoint never had. */
  readonly leftOut: readonly LeftOut[];
  /** Names the present: a restore that is given it refuses where the files have changed since. */
  readonly present: string;
}

export interface RestoreOptions {
  /** The `present` of the diff that was shown. */
  readonly present?: string;
  /** Told before the first file is written: going to `undo` brings back what is there now. */
  readonly onUndo?: (undo: string) => void;
}

export interface Restored {
  readonly ok: true;
  readonly files: ChangedFiles;
  /** Going to it brings back what was there before; undefined where nothing had to be changed. */
  readonly undo: string | undefined;
  readonly leftAsIs: readonly LeftOut[];
  /** What could not be written or removed. */
  readonly failed: readonly LeftOut[];
}

/**
 * Snapshots of one workspace in a shadow repository: never in the user's own, of which nothing is read or written.
 * What can't be done is a value with its reason, not an exception.
 */
export interface Checkpoints {
  /** Saves the workspace's files. */
  save(options?: { readonly signal?: AbortSignal }): Promise<SavedCheckpoint | Refused>;
  /** What going to the checkpoint `hash` would change. */
  diff(hash: string): Promise<CheckpointDiff | Refused>;
  /** Puts the files back to `hash`. The present is saved first. */
  restore(hash: string, options?: RestoreOptions): Promise<Restored | Refused>;
}

/** There are no checkpoints here, and why. */
export interface CheckpointsOff {
  readonly off: string;
}

export interface CheckpointsOptions {
  /** The real path of the folder whose files are saved. */
  readonly workspace: string;
  /** Where signalbox keeps its data. The shadow repository lies there, under `checkpoints`. */
  readonly dataDir: string;
  readonly limits?: Partial<CheckpointLimits>;
  /** The environment that git gets, without what steers git. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly clock?: Clock;
}

/**
 * Opens the checkpoints of a workspace; the shadow repository is made the first time. Any number of processes may
 * have the same one open.
 *
 * @example
 * ```ts
 * import { openCheckpoints } from "signalbox/adapters";
 * async function tryOut(workspace: string, dataDir: string, change: () => Promise<void>) {
 *   const checkpoints = await openCheckpoints({ workspace, dataDir });
 *   if ("off" in checkpoints) throw new Error(checkpoints.off);
 *   const saved = await checkpoints.save();
 *   await change();
 *   if (saved.ok) await checkpoints.restore(saved.hash);
 * }
 * ```
 */
export async function openCheckpoints(options: CheckpointsOptions): Promise<Checkpoints | CheckpointsOff> {
  const { workspace, dataDir, env = process.env, clock = systemClock } = options;
  try {
    const store = await openStore(workspace, dataDir, { env, now: clock.now() });
    if ("off" in store) return store;
    return checkpointsIn(store, { ...DEFAULT_CHECKPOINT_LIMITS, ...options.limits }, clock);
  } catch (error) {
    return { off: `checkpoints are off: ${refusedBy(error).reason}` };
  }
}

function checkpointsIn(store: Store, limits: CheckpointLimits, clock: Clock): Checkpoints {
  let last: { readonly hash: string; readonly tree: string } | undefined;
  const call = async <T>(work: (call: Call) => Promise<T>, signal?: AbortSignal): Promise<T | Refused> => {
    try {
      return await inCall({ store, limits, clock, signal }, work);
    } catch (error) {
      return refusedBy(error);
    }
  };
  return {
    save: ({ signal } = {}) =>
      call<SavedCheckpoint>(async (call) => {
        const taken = await takeSnapshot(call);
        const { tree, leftOut } = taken;
        const before = last;
        const changed = before?.tree !== tree;
        const hash = changed ? await commit(call, tree, leftOut) : before.hash;
        await keepIndex(call, taken);
        last = { hash, tree };
        return {
          ok: true,
          hash,
          changed,
          leftOut: leftOutOf(leftOut),
          ...(before !== undefined && { from: before.hash }),
        };
      }, signal),
    diff: (hash) =>
      call<CheckpointDiff>(async (call) => {
        await expectCheckpoint(call, hash);
        const plan = await planRestore(call, hash);
        return {
          ok: true,
          files: filesIn(plan.changes),
          text: await textOf(call, plan),
          leftAsIs: leftOutOf(plan.leftAsIs),
          leftOut: leftOutOf(plan.leftOut),
          present: plan.present.tree,
        };
      }),
    restore: (hash, { present, onUndo } = {}) =>
      call<Restored | Refused>(async (call) => {
        await expectCheckpoint(call, hash);
        const plan = await planRestore(call, hash);
        if (present !== undefined && present !== plan.present.tree)
          return {
            ok: false,
            code: "changed",
            reason: "files were changed since the diff was made, so nothing was put back. Do it again.",
          };
        const { changes } = plan;
        const leftAsIs = leftOutOf(plan.leftAsIs);
        const files = filesIn(changes);
        if (changes.length === 0) return { ok: true, files, undo: undefined, leftAsIs, failed: [] };
        // Its parent says what was looked at for it, whatever the rules left out.
        const undo = await commit(call, plan.present.tree, plan.present.leftOut, hash);
        onUndo?.(undo);
        return { ok: true, files, undo, leftAsIs, failed: leftOutOf(await putBack(call, plan)) };
      }),
  };
}

async function commit(
  { git }: Call,
  tree: string,
  leftOut: readonly Left[],
  parent?: string,
): Promise<string> {
  const input = Buffer.from(messageOf(randomUUID(), leftOut), "utf8").toString("latin1");
  const parents = parent === undefined ? [] : ["-p", parent];
  const hash = (await git(["commit-tree", tree, ...parents], { input })).out.trim();
  await git(["update-ref", refOf(hash), hash]);
  return hash;
}

function filesIn(changes: readonly Change[]): ChangedFiles {
  const of = (kind: Change["kind"]): string[] =>
    changes.filter((change) => change.kind === kind).map(({ file }) => shown(file));
  return { added: of("added"), changed: of("changed"), removed: of("removed") };
}

async function textOf({ git, limits }: Call, { present, after }: Plan): Promise<string> {
  let bytes = 0;
  const { out } = await git(
    [
      "diff-tree",
      "-r",
      "-p",
      "--no-renames",
      "--no-ext-diff",
      "--no-textconv",
      "--no-color",
      present.tree,
      after,
    ],
    {
      enough: (piece) => {
        bytes += piece.length;
        return bytes > limits.maxDiffBytes;
      },
    },
  );
  if (bytes <= limits.maxDiffBytes) return shown(out);
  const end = Math.max(out.lastIndexOf("\n", limits.maxDiffBytes), 0);
  return `${shown(out.slice(0, end))}\n[The diff is cut here: it has more than ${limits.maxDiffBytes} bytes (maxDiffBytes).]\n`;
}
