import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile } from "node:fs/promises";
import path from "node:path";
import { SignalboxError } from "../../machines/signalbox-error.ts";
import type { TaskObjects } from "../../ports/objects.ts";
import { PRIVATE_FILE } from "../../store/files/data-folder.ts";
import { checkpointHashes, refOf } from "./commit.ts";
import { CheckpointError } from "./error.ts";
import type { Operation } from "./operation.ts";

/** A git bundle among a task's objects: one checkpoint, without what the one before it has. */
interface Bundle {
  readonly name: string;
  readonly number: number;
  readonly hash: string;
}

const BUNDLE = /^checkpoints\/(\d{6,})-([0-9a-f]{40,64})\.bundle$/;

/**
 * Store a checkpoint as a bundle that begins after the last stored one.
 *
 * @throws CheckpointError `objects`
 */
export async function storeBundle(operation: Operation, objects: TaskObjects, hash: string): Promise<void> {
  const stored = await bundlesIn(objects);
  if (stored.some((bundle) => bundle.hash === hash)) return;
  const here = new Set(await checkpointHashes(operation.git, ""));
  const before = stored.findLast((bundle) => here.has(bundle.hash));
  const file = await createBundle(operation, hash, before?.hash);
  const number = String((stored.at(-1)?.number ?? 0) + 1).padStart(6, "0");
  await converting("the checkpoint was not stored", () =>
    objects.put(`checkpoints/${number}-${hash}.bundle`, readUntilAbort(file, operation.signal)),
  );
}

/**
 * Restore the stored checkpoints that the repository lacks, each in an operation.
 *
 * @throws CheckpointError `objects` if a bundle is missing or broken
 */
export async function restoreBundles(
  objects: TaskObjects,
  run: <T>(work: (operation: Operation) => Promise<T>) => Promise<T>,
): Promise<void> {
  const stored = await bundlesIn(objects);
  if (stored.length === 0) return;
  const here = new Set(await run(({ git }) => checkpointHashes(git, "")));
  if (stored.every(({ hash }) => here.has(hash))) return;
  assertComplete(stored);
  for (const bundle of stored)
    if (!here.has(bundle.hash)) await run((operation) => restoreBundle(operation, objects, bundle));
}

/** The hashes of the stored checkpoints. @throws CheckpointError `objects` */
export const storedHashes = async (objects: TaskObjects): Promise<readonly string[]> =>
  (await bundlesIn(objects)).map(({ hash }) => hash);

async function bundlesIn(objects: TaskObjects): Promise<readonly Bundle[]> {
  const stored = await converting("the stored checkpoints can't be listed", () =>
    objects.list("checkpoints"),
  );
  const bundles = stored.flatMap(({ name }) => {
    const [, number, hash] = BUNDLE.exec(name) ?? [];
    return number === undefined || hash === undefined ? [] : [{ name, number: Number(number), hash }];
  });
  return bundles.sort((one, other) => one.number - other.number);
}

/** Two saves at once may have stored two with the same number. */
function assertComplete(stored: readonly Bundle[]): void {
  const numbers = new Set(stored.map(({ number }) => number));
  const last = stored.at(-1)?.number ?? 0;
  for (let number = 1; number <= last; number += 1)
    if (!numbers.has(number))
      throw new CheckpointError(
        "objects",
        `expected the bundles 1 to ${last} of the task's checkpoints, found no bundle ${number}. ${ELSEWHERE}`,
      );
}

/**
 * Checkpoints have no parents, so git would repeat all files in each bundle. A commit that has the stored checkpoint and the
 * new one as parents is in the bundle as well: between them, git leaves out what both have.
 */
async function createBundle(
  { git, folder }: Operation,
  hash: string,
  before: string | undefined,
): Promise<string> {
  const file = path.join(folder, "bundle");
  if (before === undefined) {
    await git(["bundle", "create", file, refOf(hash)]);
    return file;
  }
  const input = "The checkpoints before and after.";
  const link = await git(["commit-tree", `${hash}^{tree}`, "-p", before, "-p", hash], { input });
  const ref = `refs/bundles/${randomUUID()}`;
  await git(["update-ref", ref, link.out.trim()]);
  try {
    await git(["bundle", "create", file, refOf(hash), ref, `^${before}`]);
  } finally {
    await git(["update-ref", "-d", ref]);
  }
  return file;
}

async function restoreBundle(
  { git, folder, signal }: Operation,
  objects: TaskObjects,
  { name, hash }: Bundle,
): Promise<void> {
  const file = path.join(folder, "bundle");
  const problem = `the stored checkpoint ${name} can't be restored`;
  await converting(problem, async () => {
    for await (const chunk of objects.read(name)) {
      signal.throwIfAborted();
      await appendFile(file, chunk, { mode: PRIVATE_FILE });
    }
  });
  try {
    const all = `${refOf("*")}:${refOf("*")}`;
    await git(["fetch", "--quiet", "--no-tags", file, all]);
  } catch (error) {
    if (!(error instanceof CheckpointError) || error.failure.code !== "git") throw error;
    throw new CheckpointError("objects", `${problem}: ${error.failure.reason}. ${ELSEWHERE}`, {
      cause: error,
    });
  }
  if ((await checkpointHashes(git, hash)).length === 0)
    throw new CheckpointError("objects", `${problem}: it has another checkpoint. ${ELSEWHERE}`);
}

const ELSEWHERE = "Restore files on the machine that saved them.";

async function* readUntilAbort(file: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(file)) {
    signal.throwIfAborted();
    yield chunk;
  }
}

/** Errors of the store of objects are failures of the checkpoint; any other error stays as it is. */
async function converting<T>(problem: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error;
    throw new CheckpointError("objects", `${problem}: ${error.message}`, { cause: error });
  }
}
