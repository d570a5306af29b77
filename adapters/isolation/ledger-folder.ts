import { lstat, mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../store/files/system-code.ts";
import type { IsolationRecord } from "./record.ts";

/** The folder that switches the ledger of a workspace on, and the ledger in it. */
const FOLDER = ".orchestration";
const LEDGER = "agent_trace.jsonl";

/**
 * Start an empty ledger in new files of a task if their source has one. Git has no empty folders, and a committed ledger has
 * the writes of others.
 */
export async function startLedger({
  source,
  workspace,
}: Pick<IsolationRecord, "source" | "workspace">): Promise<void> {
  if (!(await isFolder(path.join(source, FOLDER)))) return;
  const folder = path.join(workspace, FOLDER);
  await mkdir(folder, { recursive: true });
  // A symlink leads to the ledger of another workspace.
  if (await isFolder(folder)) await rm(path.join(folder, LEDGER), { force: true });
}

async function isFolder(folder: string): Promise<boolean> {
  try {
    return (await lstat(folder)).isDirectory();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}
