import { systemClock } from "../../actors/protocol/edge.ts";
import type { Clock } from "../../ports/clock.ts";
import type { TaskObjects } from "../../ports/objects.ts";
import type { ChangedFile } from "../../tools/changed-file.ts";
import { restoreBundles, storeBundle } from "./bundles.ts";
import type { Change } from "./change.ts";
import { commitTree, resolveCheckpoint, type SkippedFile, skippedFiles } from "./commit.ts";
import { readContents } from "./contents.ts";
import { type CheckpointFailure, changedError, failureOf } from "./error.ts";
import { type CheckpointLimits, DEFAULT_CHECKPOINT_LIMITS } from "./limits.ts";
import { type Operation, runOperation } from "./operation.ts";
import { toText } from "./paths.ts";
import { planRestore } from "./plan.ts";
import { applyPlan } from "./restore.ts";
import { keepIndex, takeSnapshot } from "./snapshot.ts";
import { openStore, type Store } from "./store.ts";

interface SavedCheckpoint {
  readonly ok: true;
  /** Its name in the store. */
  readonly hash: string;
  /** The previous checkpoint of the same {@link Checkpoints}. */
  readonly from?: string;
  /** Whether a file differs from the previous checkpoint. If none does, `hash` is the previous one's. */
  readonly changed: boolean;
  /** Files that it doesn't have. */
  readonly leftOut: readonly SkippedFile[];
}

/** Paths that a restore adds, changes and removes. */
interface ChangedFiles {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export interface CheckpointDiff {
  readonly ok: true;
  readonly files: ChangedFiles;
  /** Unified diff from the current files to those after a restore; cut at `maxDiffBytes` with a mark. */
  readonly text: string;
  /** Files that can't be restored, because something that can't be saved is in the way. */
  readonly leftAsIs: readonly SkippedFile[];
  /** Files that the checkpoint doesn't have. */
  readonly leftOut: readonly SkippedFile[];
  /** Identifies the current files: a restore with it fails if they have changed since. */
  readonly present: string;
}

/** The changes since a checkpoint. */
interface ChangesSince {
  readonly ok: true;
  readonly files: ChangedFiles;
  /** Unified diff from the checkpoint to the current files; cut at `maxDiffBytes` with a mark. */
  readonly text: string;
}

interface RestoreOptions {
  /** The `present` of the diff that was shown. */
  readonly present?: string;
  /** Called before the first file is written, with the checkpoint of the current files. */
  readonly onUndo?: (undo: string) => void;
}

export interface RestoredCheckpoint {
  readonly ok: true;
  readonly files: ChangedFiles;
  /** The checkpoint of the files before; undefined if nothing had to be changed. */
  readonly undo: string | undefined;
  readonly leftAsIs: readonly SkippedFile[];
  /** Files that could not be written or removed. */
  readonly failed: readonly SkippedFile[];
}

/**
 * Snapshots of one workspace in a shadow repository. The user's own repository is neither read nor written. An
 * operation that fails returns a failure with its code and throws nothing. A checkpoint is named by its hash, or by
 * at least 7 characters of its start.
 */
export interface Checkpoints {
  /** Saves the workspace's files. */
  save(options?: { readonly signal?: AbortSignal }): Promise<SavedCheckpoint | CheckpointFailure>;
  /** Compares the current files with those after a restore. */
  diff(name: string): Promise<CheckpointDiff | CheckpointFailure>;
  /** Compares a checkpoint with the current files: the other direction of {@link diff}. */
  changesSince(name: string): Promise<ChangesSince | CheckpointFailure>;
  /** Reads both contents of each file that has changed since a checkpoint, in the order of their paths. */
  readChanges(
    name: string,
    each: (file: ChangedFile) => void,
  ): Promise<{ readonly ok: true } | CheckpointFailure>;
  /** Restores the files of a checkpoint. The current files are saved first. */
  restore(name: string, options?: RestoreOptions): Promise<RestoredCheckpoint | CheckpointFailure>;
}

/** Reason why there are no checkpoints. */
export interface CheckpointsOff {
  readonly off: string;
}

export interface CheckpointsOptions {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** Data directory. The shadow repository is in its folder `checkpoints`. */
  readonly dataDir: string;
  readonly limits?: Partial<CheckpointLimits>;
  /** Environment of git, without the variables that configure git. Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  /**
   * Objects of the task: each saved checkpoint is stored there too, and those that the shadow repository lacks are restored
   * from there. Default: none.
   */
  readonly objects?: TaskObjects | undefined;
}

/**
 * Opens the checkpoints of a workspace, and creates the shadow repository the first time. Any number of processes may
 * have it open.
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
  const { workspace, dataDir, env = process.env, clock = systemClock, objects } = options;
  const limits = { ...DEFAULT_CHECKPOINT_LIMITS, ...options.limits };
  try {
    const store = await openStore(workspace, dataDir, { env, now: clock.now() });
    if ("off" in store) return store;
    if (objects !== undefined)
      await restoreBundles(objects, (work) =>
        runOperation({ store, limits, clock, signal: undefined }, work),
      );
    return checkpointsIn(store, limits, clock, objects);
  } catch (error) {
    return { off: `checkpoints are off: ${failureOf(error).reason}` };
  }
}

function checkpointsIn(
  store: Store,
  limits: CheckpointLimits,
  clock: Clock,
  objects: TaskObjects | undefined,
): Checkpoints {
  let last: { readonly hash: string; readonly tree: string } | undefined;
  const run = <T>(work: (operation: Operation) => Promise<T>, signal?: AbortSignal) =>
    runOperation({ store, limits, clock, signal }, work).catch(failureOf);
  return {
    save: ({ signal } = {}) =>
      run<SavedCheckpoint>(async (operation) => {
        const snapshot = await takeSnapshot(operation);
        const { tree, leftOut } = snapshot;
        const before = last;
        const changed = before?.tree !== tree;
        const hash = changed ? await commitTree(operation, tree, leftOut) : before.hash;
        await keepIndex(operation, snapshot);
        if (changed && objects !== undefined) await storeBundle(operation, objects, hash);
        last = { hash, tree };
        const from = before === undefined ? {} : { from: before.hash };
        return { ok: true, hash, changed, leftOut: skippedFiles(leftOut), ...from };
      }, signal),
    diff: (name) =>
      run<CheckpointDiff>(async (operation) => {
        const hash = await resolveCheckpoint(operation, name);
        const plan = await planRestore(operation, hash);
        return {
          ok: true,
          files: filesIn(plan.changes),
          text: await diffText(operation, plan.present.tree, plan.after),
          leftAsIs: skippedFiles(plan.leftAsIs),
          leftOut: skippedFiles(plan.leftOut),
          present: plan.present.tree,
        };
      }),
    changesSince: (name) =>
      run<ChangesSince>(async (operation) => {
        const hash = await resolveCheckpoint(operation, name);
        const { changes, present, after } = await planRestore(operation, hash);
        const { added, changed, removed } = filesIn(changes);
        const text = await diffText(operation, after, present.tree);
        return { ok: true, files: { added: removed, changed, removed: added }, text };
      }),
    readChanges: (name, each) =>
      run(async (operation) => {
        await readContents(
          operation,
          await planRestore(operation, await resolveCheckpoint(operation, name)),
          each,
        );
        return { ok: true } as const;
      }),
    restore: (name, options = {}) =>
      run<RestoredCheckpoint>(async (operation) => {
        const hash = await resolveCheckpoint(operation, name);
        const plan = await planRestore(operation, hash);
        const { changes, present } = plan;
        if (options.present !== undefined && options.present !== present.tree)
          throw changedError("since the diff was made");
        const leftAsIs = skippedFiles(plan.leftAsIs);
        const files = filesIn(changes);
        if (changes.length === 0) return { ok: true, files, undo: undefined, leftAsIs, failed: [] };
        // Its parent has the files that were saved although they are ignored.
        const undo = await commitTree(operation, present.tree, present.leftOut, hash);
        options.onUndo?.(undo);
        return { ok: true, files, undo, leftAsIs, failed: skippedFiles(await applyPlan(operation, plan)) };
      }),
  };
}

function filesIn(changes: readonly Change[]): ChangedFiles {
  const of = (kind: Change["kind"]): string[] =>
    changes.filter((change) => change.kind === kind).map(({ file }) => toText(file));
  return { added: of("added"), changed: of("changed"), removed: of("removed") };
}

async function diffText({ git, limits }: Operation, from: string, to: string): Promise<string> {
  let bytes = 0;
  const options = ["-r", "-p", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"];
  const { out } = await git(["diff-tree", ...options, from, to], {
    isEnough: (chunk) => {
      bytes += chunk.length;
      return bytes > limits.maxDiffBytes;
    },
  });
  if (bytes <= limits.maxDiffBytes) return toText(out);
  const end = Math.max(out.lastIndexOf("\n", limits.maxDiffBytes), 0);
  return `${toText(out.slice(0, end))}\n[The diff is cut here: it has more than ${limits.maxDiffBytes} bytes (maxDiffBytes).]\n`;
}
