import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { worktreesRoot } from "../files/data-folder.ts";
import { replaceFile } from "../files/replace-file.ts";
import { systemCode } from "../files/system-code.ts";
import { type LedgerEntry, ledgerEntrySchema } from "./entry.ts";
import { LedgerError } from "./error.ts";

/** A merge of the files of a task, as the data folder has it: the second record beside the lines of the ledger. */
export interface RecordedMerge {
  /** Real path of the folder that the files were merged into. */
  readonly workspace: string;
  /** The lines of the merge in the ledger of that folder. */
  readonly entries: readonly LedgerEntry[];
}

const MERGES = "merges.json";

const mergesSchema = z.object({
  version: z.literal(1),
  merges: z.array(z.object({ workspace: z.string(), entries: z.array(ledgerEntrySchema) })),
});

const mergesFile = (dataDir: string, task: string): string => path.join(worktreesRoot(dataDir), task, MERGES);

/** The merges of the files of a task, oldest first. @throws LedgerError `LEDGER_IO` if their record is damaged */
export async function readMerges(dataDir: string, task: string): Promise<readonly RecordedMerge[]> {
  const file = mergesFile(dataDir, task);
  try {
    return mergesSchema.parse(JSON.parse(await readFile(file, "utf8"))).merges;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return [];
    throw new LedgerError(
      "LEDGER_IO",
      `${file} can't be read: expected the merges of task ${task}. Restore it from a backup. Without it, verify can't compare them.`,
      { cause: error },
    );
  }
}

/** The ids of all tasks that may have merges. */
export async function mergedTasks(dataDir: string): Promise<readonly string[]> {
  try {
    return (await readdir(worktreesRoot(dataDir))).sort();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Record a merge, before the ledger gets its lines. It is durable when the promise resolves. */
export async function addMerge(dataDir: string, task: string, merge: RecordedMerge): Promise<void> {
  if (merge.entries.length === 0) return;
  const merges = [...(await readMerges(dataDir, task)), merge];
  await replaceFile(mergesFile(dataDir, task), `${JSON.stringify({ version: 1, merges })}\n`);
}
