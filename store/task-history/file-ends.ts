import { closeSync, fstatSync, openSync, readSync, type Stats } from "node:fs";
import path from "node:path";
import { type ByteRange, type JournalEnds, parseEnds } from "./journal-ends.ts";
import { JOURNAL } from "./task-folder.ts";

/**
 * Read both ends of the journal in a task's folder. Synchronous: asynchronous reads cost three times as much.
 *
 * @throws system errors: ENOENT if there is no task
 */
export function readFileEnds(folder: string): { readonly stats: Stats; readonly ends: JournalEnds } {
  const file = openSync(path.join(folder, JOURNAL), "r");
  try {
    const stats = fstatSync(file);
    const parsing = parseEnds(stats.size);
    let step = parsing.next();
    while (step.done !== true) step = parsing.next(readAt(file, step.value));
    return { stats, ends: step.value };
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, { from, length }: ByteRange): Buffer {
  const chunk = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(file, chunk, filled, length - filled, from + filled);
    if (count === 0) break;
    filled += count;
  }
  return chunk.subarray(0, filled);
}
