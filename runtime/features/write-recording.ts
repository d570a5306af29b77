import { openCheckpoints } from "../../adapters/checkpoints/checkpoints.ts";
import { gitHead } from "../../adapters/repository/git-head.ts";
import { LedgerError } from "../../store/ledger/error.ts";
import { hasLedgerFolder } from "../../store/ledger/ledger-storage.ts";
import type { ConcurrentWrites, WorkspaceState, WriteRecording } from "../../tools/write-recording.ts";

export interface WriteRecordingOptions {
  /** Real path of the workspace. */
  readonly workspace: string;
  readonly dataDir: string;
  /** Whether the task has checkpoints: what commands change is found with them. */
  readonly hasCheckpoints: boolean;
  /** Shared by the tasks of the workspace. */
  readonly concurrent: ConcurrentWrites;
  /** Called when it is not known what a command changed. */
  readonly onError: (error: LedgerError) => void;
}

const NOTHING: WorkspaceState = async () => {};

/** Records what the calls of a task change, while their workspace has a ledger. */
export function writeRecording(options: WriteRecordingOptions): WriteRecording {
  const { workspace, hasCheckpoints, concurrent } = options;
  return {
    isOn: () => hasLedgerFolder(workspace),
    gitHead: () => gitHead(workspace),
    keepState: hasCheckpoints ? createKeepState(options) : undefined,
    concurrent,
  };
}

function createKeepState({
  workspace,
  dataDir,
  onError,
}: WriteRecordingOptions): NonNullable<WriteRecording["keepState"]> {
  let opened: ReturnType<typeof openCheckpoints> | undefined;
  return async () => {
    // The task has checkpoints of its own: one for each turn.
    opened ??= openCheckpoints({ workspace, dataDir });
    const checkpoints = await opened;
    // The task has reported that.
    if ("off" in checkpoints) return NOTHING;
    const saved = await checkpoints.save();
    if (!saved.ok) {
      onError(unknownChanges(saved.reason));
      return NOTHING;
    }
    return async (each) => {
      const read = await checkpoints.readChanges(saved.hash, each);
      if (!read.ok) onError(unknownChanges(read.reason));
    };
  };
}

const unknownChanges = (reason: string): LedgerError =>
  new LedgerError("LEDGER_COMMAND", `The files that a command changed are not in the ledger: ${reason}`);
