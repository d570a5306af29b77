import { createHash } from "node:crypto";
import { JournalError } from "../../journal/error.ts";
import type { HeldJournal, JournalSide } from "./side.ts";

/** The end of a move of one task. `refused`: nothing was changed. `earlier`: it was moved before. */
export type Moved =
  | { readonly task: string; readonly end: "moved"; readonly bytes: number }
  | { readonly task: string; readonly end: "earlier" | "refused"; readonly reason: string };

/**
 * Copy the journals of all tasks, and mark the originals as moved once the copies, read back, have the same digests. The
 * originals stay. A task that is open is refused, and so is one whose copy would replace other records.
 *
 * @throws JournalError, PostgresError
 */
export async function* moveTasks(source: JournalSide, target: JournalSide): AsyncGenerator<Moved> {
  for await (const task of source.ids()) {
    try {
      yield await moveTask(task, source, target);
    } catch (error) {
      if (!(error instanceof JournalError && error.code === "JOURNAL_LOCKED")) throw error;
      yield { task, end: "refused", reason: error.message };
    }
  }
}

async function moveTask(task: string, source: JournalSide, target: JournalSide): Promise<Moved> {
  const from = await source.hold(task);
  try {
    if (from.movedTo !== undefined)
      return { task, end: "earlier", reason: `It was moved to ${from.movedTo}.` };
    const to = await target.hold(task);
    try {
      return await copy(task, from, to);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function copy(task: string, from: HeldJournal, to: HeldJournal): Promise<Moved> {
  const original = await digestOf(from.read());
  const found = await digestOf(to.read());
  const same = await digestOf(from.read(), found.bytes);
  if (found.bytes !== same.bytes || found.sha256 !== same.sha256)
    return {
      task,
      end: "refused",
      reason: `Expected no other records of this task, found ${found.bytes} bytes in ${to.place}. Remove them, or keep this task where it is.`,
    };
  await to.write(from, found.bytes);
  const copied = await digestOf(to.read());
  if (copied.sha256 !== original.sha256)
    throw new JournalError(
      "JOURNAL_IO",
      to.place,
      `Expected the digest ${original.sha256} of ${from.place}, read back ${copied.sha256}. Check the disk, then remove the copy and move the task again; the original is unchanged.`,
    );
  // In this order: where the process ends in between, the move can be repeated.
  await to.unmark();
  await from.mark(to.place);
  return { task, end: "moved", bytes: original.bytes };
}

interface Digest {
  readonly bytes: number;
  readonly sha256: string;
}

/** The digest of the first bytes, at most `limit`. */
async function digestOf(
  chunks: AsyncIterable<Uint8Array>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Digest> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of chunks) {
    const part = chunk.subarray(0, limit - bytes);
    hash.update(part);
    bytes += part.length;
    if (bytes >= limit) break;
  }
  return { bytes, sha256: hash.digest("hex") };
}
