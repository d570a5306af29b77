import { readFile } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import { tasksFolder } from "../files/data-folder.ts";
import { replaceFile } from "../files/replace-file.ts";
import { systemCode } from "../files/system-code.ts";
import type { CheckedPart } from "./journal-check.ts";
import { taskIds } from "./lookup.ts";
import type { TaskSummary } from "./summary.ts";

/** A task in the index: its summary and the state of its journal when it was read. */
export interface IndexedTask {
  /** Modification time of the journal, in ms since the epoch. Its size is in the summary. */
  readonly mtimeMs: number;
  /** The summary without its name, as if no process had the task open, with the recorded state. */
  readonly summary: TaskSummary;
  /** The beginning of the journal that was checked for damage. */
  readonly checked: CheckedPart;
}

/** Indexed tasks by id. */
export type TaskIndex = ReadonlyMap<string, IndexedTask>;

/** Name of the index file; not a valid task id. */
const INDEX = ".task-index";
/** Version of its format, and of the way a summary is derived from a journal. */
const VERSION = 7;

/** First line of the index: its version and checksum. */
const firstLine = (json: string): string => `${VERSION} ${crc32(json)}`;

/** Read the index of a data folder; empty if it is missing, damaged, of another version or cannot be read. */
export async function readIndex(dataDir: string): Promise<TaskIndex> {
  try {
    const text = await readFile(indexPath(dataDir), "utf8");
    const end = text.indexOf("\n");
    const json = text.slice(end + 1);
    if (text.slice(0, end) !== firstLine(json)) return new Map();
    // Its checksum matches: it is what `writeIndex` wrote.
    const tasks: readonly IndexedTask[] = JSON.parse(json);
    return new Map(tasks.map((task) => [task.summary.id, task]));
  } catch {
    return new Map();
  }
}

/** Replace the index of a data folder, if the folder can be written. A task that is deleted in the meantime is not in it. */
export async function writeIndex(dataDir: string, index: TaskIndex): Promise<void> {
  const json = JSON.stringify([...index.values()]);
  try {
    await replaceFile(indexPath(dataDir), `${firstLine(json)}\n${json}`);
  } catch (error) {
    if (systemCode(error) === "") throw error;
    // Without an index, a list reads all journals.
    return;
  }
  const ids = new Set(await taskIds(dataDir));
  const existing = [...index].filter(([id]) => ids.has(id));
  if (existing.length < index.size) await writeIndex(dataDir, new Map(existing));
}

const indexPath = (dataDir: string): string => path.join(tasksFolder(dataDir), INDEX);
