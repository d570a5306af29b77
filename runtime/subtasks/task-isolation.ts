import { Isolation } from "../../adapters/isolation/isolation.ts";
import type { Clock } from "../../ports/clock.ts";
import type { OpenJournal } from "../task-policies/history.ts";
import { WorkspaceMerges } from "./workspace-merges.ts";

export interface TaskIsolationOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  /** Opens the journal of any task for reading. */
  readonly journal: OpenJournal;
}

/** The worktrees and copies of the tasks of a data folder. Their merges are recorded in the ledgers of the workspaces. */
export const openIsolation = (options: TaskIsolationOptions): Isolation =>
  new Isolation({
    dataDir: options.dataDir,
    clock: options.clock,
    ledger: new WorkspaceMerges(options),
  });
