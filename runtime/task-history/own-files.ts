import { readEnd } from "../../adapters/isolation/files-end.ts";
import { readRecord, recordedIds } from "../../adapters/isolation/record.ts";
import { ToolError } from "../../tools/error.ts";
import type { OwnFiles } from "../../wire/own-files.ts";

/**
 * The files of the tasks that work or worked in a worktree or copy, by task. A task is missing if it had none. Never rejects for
 * a damaged record: its files are `unreadable`.
 */
export async function readOwnFiles(
  dataDir: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, OwnFiles>> {
  const recorded = new Set(await recordedIds(dataDir));
  const found = new Map<string, OwnFiles>();
  for (const id of ids) {
    const files = recorded.has(id) ? await ownFilesOf(dataDir, id) : undefined;
    if (files !== undefined) found.set(id, files);
  }
  return found;
}

async function ownFilesOf(dataDir: string, id: string): Promise<OwnFiles | undefined> {
  try {
    const record = await readRecord(dataDir, id);
    if (record !== undefined) return { state: "unmerged" };
    const ended = await readEnd(dataDir, id);
    if (ended === undefined) return undefined;
    const { end: state, by, at } = ended;
    return { state, ...(by !== undefined && { by }), ...(at !== undefined && { at }) };
  } catch (error) {
    if (error instanceof ToolError) return { state: "unreadable" };
    throw error;
  }
}
