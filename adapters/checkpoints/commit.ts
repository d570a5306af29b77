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

/** Minimum characters of the start of a checkpoint's name. */
const PREFIX_MIN_CHARS = 7;

/**
 * The checkpoint that a name means: its hash, or a start of it that no other checkpoint has.
 *
 * @throws CheckpointError `unknown` if that is no checkpoint of this workspace, or one of several
 */
export async function resolveCheckpoint({ git, store }: Operation, name: string): Promise<string> {
  const isPrefix = name.length >= PREFIX_MIN_CHARS && /^[0-9a-f]{1,64}$/.test(name);
  const found = isPrefix ? await checkpointHashes(git, name) : [];
  const [hash, other] = found;
  const shown = name.slice(0, 64);
  if (other !== undefined)
    throw new CheckpointError(
      "unknown",
      `${found.length} checkpoints of ${store.workspace} begin with ${shown}: expected the name of one. Give more of it.`,
    );
  if (hash !== undefined) return hash;
  if (name.length < PREFIX_MIN_CHARS)
    throw new CheckpointError(
      "unknown",
      `expected the name of a checkpoint, or its first ${PREFIX_MIN_CHARS} characters or more, received '${shown}'. Give more of it.`,
    );
  throw new CheckpointError(
    "unknown",
    `there is no checkpoint ${shown} of ${store.workspace} in ${store.dir}: it was removed, or is in another folder.`,
  );
}

/** The hashes of the checkpoints that begin with `prefix`. */
export async function checkpointHashes(git: Operation["git"], prefix: string): Promise<readonly string[]> {
  const { out } = await git(["for-each-ref", "--format=%(refname)", `${refOf(prefix)}*`]);
  return toText(out)
    .split("\n")
    .filter((ref) => ref !== "")
    .map((ref) => ref.slice(refOf("").length));
}

/** One ref for each checkpoint: concurrent saves never write the same one, and git prunes no checkpoint. */
export const refOf = (hash: string): string => `refs/checkpoints/${hash}`;
