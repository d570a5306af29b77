import { realpath } from "node:fs/promises";
import { systemClock } from "../../actors/protocol/edge.ts";
import { SignalboxError } from "../../machines/signalbox-error.ts";
import type { TaskObjects } from "../../ports/objects.ts";
import { restoreBundles, storeBundle, storedHashes } from "./bundles.ts";
import { checkpointHashes } from "./commit.ts";
import { type CheckpointFailure, failureOf } from "./error.ts";
import { DEFAULT_CHECKPOINT_LIMITS, RESTORE_LIMITS } from "./limits.ts";
import { type Operation, runOperation } from "./operation.ts";
import { checkpointsFolder, isRepository, openStore, type Store } from "./store.ts";

/** The repository of a workspace in a data folder, and the objects of a task that works there. */
export interface StoredCheckpointsOptions {
  readonly workspace: string;
  readonly dataDir: string;
  readonly objects: TaskObjects;
  /** Environment of git. Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/** The number of checkpoints that neither the objects nor the repository have. */
interface StoredCheckpoints {
  readonly ok: true;
  readonly missing: number;
}

const LIMITS = { ...DEFAULT_CHECKPOINT_LIMITS, ...RESTORE_LIMITS };

/** Store these checkpoints of the repository as bundles, unless the objects have them. @throws ObjectError */
export async function storeCheckpoints(
  hashes: readonly string[],
  options: StoredCheckpointsOptions,
): Promise<StoredCheckpoints | CheckpointFailure> {
  const { workspace, dataDir, objects } = options;
  return failing(async () => {
    const stored = await storedHashes(objects);
    const others = hashes.filter((hash) => !stored.includes(hash));
    if (others.length === 0) return { ok: true, missing: 0 };
    if (!isRepository(checkpointsFolder(await realpath(dataDir), workspace)))
      return { ok: true, missing: others.length };
    const store = await open(options);
    if ("reason" in store) return store;
    const here = new Set(await run(store, ({ git }) => checkpointHashes(git, "")));
    const found = others.filter((hash) => here.has(hash));
    for (const hash of found) await run(store, (operation) => storeBundle(operation, objects, hash));
    return { ok: true, missing: others.length - found.length };
  });
}

/** Restore the bundles among the objects that the repository lacks. @throws ObjectError */
export function restoreCheckpoints(
  options: StoredCheckpointsOptions,
): Promise<{ readonly ok: true } | CheckpointFailure> {
  return failing(async () => {
    if ((await storedHashes(options.objects)).length === 0) return { ok: true };
    const store = await open(options);
    if ("reason" in store) return store;
    await restoreBundles(options.objects, (work) => run(store, work));
    return { ok: true };
  });
}

/** The workspace is not needed, and may be missing. */
async function open({
  workspace,
  dataDir,
  env = process.env,
}: StoredCheckpointsOptions): Promise<Store | CheckpointFailure> {
  const store = await openStore(workspace, dataDir, { env, now: systemClock.now(), workTree: dataDir });
  return "off" in store ? { ok: false, code: "git", reason: store.off } : { ...store, workspace: store.dir };
}

const run = <T>(store: Store, work: (operation: Operation) => Promise<T>): Promise<T> =>
  runOperation({ store, limits: LIMITS, clock: systemClock, signal: undefined }, work);

/** A failure of the repository is a value; one of the objects is thrown. */
async function failing<T>(work: () => Promise<T>): Promise<T | CheckpointFailure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && error.cause instanceof SignalboxError) throw error.cause;
    return failureOf(error);
  }
}
