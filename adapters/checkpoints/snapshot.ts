import { constants } from "node:fs";
import { access, copyFile, lstat, rename, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../store/files/index.ts";
import type { Call } from "./call.ts";
import type { Left } from "./left-out.ts";
import { listFiles } from "./listing.ts";
import { absoluteOf, type BytePath, toZeroEnded, zeroEnded } from "./paths.ts";
import { Refusal } from "./refused.ts";

/** The workspace's files at one moment, as a tree of the shadow repository. */
export interface Snapshot {
  readonly tree: string;
  /** An index of that tree which knows the files on disk: git sees by it what has changed since. */
  readonly index: string;
  readonly leftOut: readonly Left[];
}

/** How many files are looked at side by side. */
const SIDE_BY_SIDE = 64;
/** An index that is copied counts as this much older: git then looks twice at what was written around that time. */
const COPIED_OLDER_MS = 10;

/**
 * Takes a snapshot. What an earlier one read and nobody has touched since is not read again.
 *
 * @param also files that are saved although the rules leave them out by now
 * @throws Refusal
 */
export async function takeSnapshot(call: Call, also: readonly BytePath[] = []): Promise<Snapshot> {
  const [{ files, leftOut }] = await Promise.all([listFiles(call), expectRoom(call)]);
  const looked = await lookAt(call, [...new Set([...files, ...also])]);
  const index = path.join(call.folder, "index");
  const shared = path.join(call.store.dir, "index");
  const found = await copyIndex(shared, index);
  try {
    const left = [...leftOut, ...looked.tooLarge];
    return await write(call, index, looked.files, left);
  } catch (error) {
    if (!(error instanceof Refusal) || error.refused.code !== "git") throw error;
    // One file that can't be read, or an old index that is damaged, is no reason to have no checkpoint.
    const { files: readable, unread } = await readableOf(call, looked.files);
    if (unread.length === 0 && !found) throw error;
    const fresh = path.join(call.folder, "fresh-index");
    return await write(call, fresh, readable, [...leftOut, ...looked.tooLarge, ...unread]);
  }
}

async function write(
  call: Call,
  index: string,
  files: readonly BytePath[],
  leftOut: readonly Left[],
): Promise<Snapshot> {
  const wanted = new Set(files);
  const known = zeroEnded((await call.git(["ls-files", "-z", "--cached"], { index })).out);
  const gone = known.filter((file) => !wanted.has(file));
  if (gone.length > 0)
    await call.git(["update-index", "-z", "--force-remove", "--stdin"], { index, input: toZeroEnded(gone) });
  const { err } = await call.git(["update-index", "-z", "--add", "--remove", "--stdin"], {
    index,
    input: toZeroEnded(files),
  });
  const tree = (await call.git(["write-tree"], { index })).out.trim();
  const refused = [...err.matchAll(/^Ignoring path (.*)$/gm)].map(([, name = ""]) => ({
    file: name,
    why: "git takes no such name",
  }));
  return { tree, index, leftOut: [...leftOut, ...refused] };
}

/** Keeps the index of a snapshot for the next one. Whoever comes last wins: any of them is right. */
export async function keepIndex({ store }: Call, { index }: Snapshot): Promise<void> {
  await rename(index, path.join(store.dir, "index"));
}

/** @returns whether there was one */
async function copyIndex(from: string, to: string): Promise<boolean> {
  try {
    const { atimeMs, mtimeMs } = await stat(from);
    await copyFile(from, to);
    await utimes(to, atimeMs / 1000, (mtimeMs - COPIED_OLDER_MS) / 1000);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}

async function lookAt(
  { store, limits }: Call,
  files: readonly BytePath[],
): Promise<{ readonly files: readonly BytePath[]; readonly tooLarge: readonly Left[] }> {
  const kept: BytePath[] = [];
  const tooLarge: Left[] = [];
  let bytes = 0;
  await each(files, async (file) => {
    const found = await lstat(absoluteOf(store.workspace, file)).catch(gone);
    if (found === undefined || !(found.isFile() || found.isSymbolicLink())) return;
    if (found.size > limits.maxFileBytes) {
      tooLarge.push({
        file,
        why: `it is larger than ${limits.maxFileBytes} bytes (maxFileBytes)`,
      });
      return;
    }
    kept.push(file);
    bytes += found.size;
    if (bytes > limits.maxTotalBytes)
      throw new Refusal(
        "bytes",
        `the workspace's files have more than ${limits.maxTotalBytes} bytes (maxTotalBytes). Let .gitignore leave out what needs no checkpoint, or raise the limit.`,
      );
  });
  return { files: kept, tooLarge };
}

async function readableOf(
  { store }: Call,
  files: readonly BytePath[],
): Promise<{ readonly files: readonly BytePath[]; readonly unread: readonly Left[] }> {
  const readable: BytePath[] = [];
  const unread: Left[] = [];
  await each(files, async (file) => {
    const absolute = absoluteOf(store.workspace, file);
    const found = await lstat(absolute).catch(gone);
    if (found === undefined) return;
    const problem = found.isSymbolicLink()
      ? undefined
      : await access(absolute, constants.R_OK).catch((error: unknown) => systemCode(error) || "unknown");
    if (problem === undefined) readable.push(file);
    else unread.push({ file, why: `it can't be read (${problem})` });
  });
  return { files: readable, unread };
}

/** A file that went away since it was listed is no failure; nor is a folder that came in its place. */
function gone(error: unknown): undefined {
  if (["ENOENT", "ENOTDIR", "EACCES"].includes(systemCode(error))) return undefined;
  throw error;
}

async function each(files: readonly BytePath[], act: (file: BytePath) => Promise<void>): Promise<void> {
  for (let from = 0; from < files.length; from += SIDE_BY_SIDE)
    await Promise.all(files.slice(from, from + SIDE_BY_SIDE).map(act));
}

async function expectRoom({ git, store, limits }: Call): Promise<void> {
  const { out } = await git(["count-objects", "-v"]);
  const kilobytes = [...out.matchAll(/^(?:size|size-pack): (\d+)$/gm)].map(([, size]) => Number(size));
  const bytes = kilobytes.reduce((sum, size) => sum + size * 1024, 0);
  if (bytes > limits.maxStoreBytes)
    throw new Refusal(
      "store",
      `the checkpoints of this workspace take ${bytes} bytes: more than ${limits.maxStoreBytes} (maxStoreBytes). Remove ${store.dir} (and with it the old checkpoints), or raise the limit.`,
    );
}
