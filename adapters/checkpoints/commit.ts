import { randomUUID } from "node:crypto";
import { z } from "zod";
import { CheckpointError } from "./error.ts";
import type { Operation } from "./operation.ts";
import { type BytePath, toBytePath, toText } from "./paths.ts";

/** A file or folder that is not in a checkpoint, or that a restore leaves unchanged, and the reason. */
export interface SkippedFile {
  readonly path: string;
  readonly why: string;
}

/** A {@link SkippedFile} by the bytes of its name. */
export interface SkippedPath {
  readonly file: BytePath;
  readonly why: string;
}

export const skippedFiles = (skipped: readonly SkippedPath[]): SkippedFile[] =>
  skipped.map(({ file, why }) => ({ path: toText(file), why }));

const messageSchema = z.object({ leftOut: z.array(z.object({ file: z.string(), why: z.string() })) });

/**
 * Commits a tree as a checkpoint. The message has what was left out: a restore must not take that for new files. Its
 * id makes the hashes of equal checkpoints within one second differ.
 */
export async function commitTree(
  { git }: Operation,
  tree: string,
  leftOut: readonly SkippedPath[],
  parent?: string,
): Promise<string> {
  const input = toBytePath(JSON.stringify({ id: randomUUID(), leftOut }));
  const parents = parent === undefined ? [] : ["-p", parent];
  const hash = (await git(["commit-tree", tree, ...parents], { input })).out.trim();
  await git(["update-ref", refOf(hash), hash]);
  return hash;
}

/** Reads what a checkpoint left out. */
export async function readLeftOut({ git }: Operation, hash: string): Promise<readonly SkippedPath[]> {
  const { out } = await git(["show", "--no-patch", "--format=%B", hash]);
  return messageSchema.parse(JSON.parse(toText(out))).leftOut;
}

/** @throws CheckpointError `unknown` if the hash is not a checkpoint of this workspace */
export async function assertCheckpoint({ git, store }: Operation, hash: string): Promise<void> {
  const isHash = /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(hash);
  const args = ["show-ref", "--verify", "--quiet", refOf(hash)];
  if (isHash && (await git(args, { exitCodes: [1, 128] })).code === 0) return;
  throw new CheckpointError(
    "unknown",
    `there is no checkpoint ${hash.slice(0, 64)} of ${store.workspace} in ${store.dir}: it was removed, or is in another folder.`,
  );
}

/** One ref for each checkpoint: concurrent saves never write the same one, and git prunes no checkpoint. */
const refOf = (hash: string): string => `refs/checkpoints/${hash}`;
