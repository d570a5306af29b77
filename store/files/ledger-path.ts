import { lstat } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "./system-code.ts";

/** The folder in a workspace that has its ledger. Without it nothing is recorded. */
export const ledgerFolder = (workspace: string): string => path.join(workspace, ".orchestration");

/** Path of a workspace's ledger. */
export const ledgerPath = (workspace: string): string =>
  path.join(ledgerFolder(workspace), "agent_trace.jsonl");

/** Whether a workspace has a folder for its ledger. A symlink leads to the ledger of another workspace. */
export async function isLedgerOn(workspace: string): Promise<boolean> {
  try {
    return (await lstat(ledgerFolder(workspace))).isDirectory();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}
