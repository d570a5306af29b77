import { JournalError } from "../../journal/error.ts";
import { digestOf } from "./digest.ts";
import { comparedObjects, copyObjects, countObjects } from "./moved-objects.ts";
import type { HeldJournal, JournalSide } from "./side.ts";

/** The end of a move of one task. `refused`: nothing was changed. `earlier`: it was moved before. */
export type Moved =
  | {
      readonly task: string;
      readonly end: "moved";
      /** Bytes of the journal. */
      readonly bytes: number;
      /** The number of objects. */
      readonly objects: number;
      /** Reasons why checkpoints are only where they were. */
      readonly notes: readonly string[];
    }
  | { readonly task: string; readonly end: "earlier" | "refused"; readonly reason: string };

/**
 * Copy the journals and objects of all tasks, and mark the originals as moved once the copies, read back, have the same digests.
 * The originals stay. A task that is open is refused, and so is one whose copy would replace other records. A move that ended
 * early can be repeated.
 *
 * @throws JournalError, ObjectError, PostgresError
 */
export async function* moveTasks(source: JournalSide, target: JournalSide): AsyncGenerator<Moved> {
  for await (const task of source.ids()) {
    try {
      const moved = await moveTask(task, source, target);
      // Its row is current only if nobody owns the task.
      if (moved.end === "moved") await target.index?.(task);
      yield moved;
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
      return await copy(task, { source, from }, { target, to });
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

async function copy(
  task: string,
  { source, from }: { readonly source: JournalSide; readonly from: HeldJournal },
  { target, to }: { readonly target: JournalSide; readonly to: HeldJournal },
): Promise<Moved> {
  const original = await digestOf(from.read());
  const found = await digestOf(to.read());
  const same = await digestOf(from.read(), found.bytes);
  if (found.bytes !== same.bytes || found.sha256 !== same.sha256)
    return {
      task,
      end: "refused",
      reason: `Expected no other records of this task, found ${found.bytes} bytes in ${to.place}. Remove them, or keep this task where it is.`,
    };
  // Before the journal: without records nobody opens the copy.
  const objects = comparedObjects(to.objects, to.place);
  await copyObjects(from.objects, objects);
  const stored = await source.checkpoints?.store({ place: from.place, read: () => from.read(), objects });
  const restored = await target.checkpoints?.restore({ place: from.place, read: () => from.read(), objects });
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
  const notes = [stored, restored].filter((note) => note !== undefined);
  return { task, end: "moved", bytes: original.bytes, objects: await countObjects(objects), notes };
}
