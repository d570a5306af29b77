import { mkdir, rm } from "node:fs/promises";
import { isLedgerOn, ledgerFolder, ledgerPath } from "../../store/files/ledger-path.ts";
import type { IsolationRecord } from "./record.ts";

/**
 * Start an empty ledger in new files of a task if their source has one. Git has no empty folders, and a committed ledger has
 * the writes of others.
 */
export async function startLedger({
  source,
  workspace,
}: Pick<IsolationRecord, "source" | "workspace">): Promise<void> {
  if (!(await isLedgerOn(source))) return;
  await mkdir(ledgerFolder(workspace), { recursive: true });
  if (await isLedgerOn(workspace)) await rm(ledgerPath(workspace), { force: true });
}
