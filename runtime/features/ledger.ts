import { LedgerFile } from "../../store/ledger/ledger-file.ts";
import { TaskLedger } from "../../store/ledger/task-ledger.ts";
import { ConcurrentWrites, type WriteRecording } from "../../tools/write-recording.ts";
import type {
  Adds,
  FeatureHost,
  FeatureTask,
  HostFeature,
  ResidentFeature,
  ResidentState,
  TaskFeature,
} from "./feature.ts";
import { writeRecording } from "./write-recording.ts";

/** The ledger of a workspace: its calls record what they change, and the lines of durable records are appended. */
export function ledgerFeature(host: FeatureHost): HostFeature<Adds<"recording">> {
  const shared = new Map<string, WorkspaceLedger>();
  return async (task, isReopened) => {
    const { root } = task.workspace;
    const workspace = shared.get(root) ?? new WorkspaceLedger(root, host);
    shared.set(root, workspace);
    if (isReopened) await workspace.linesOf(task, {}).catchUp();
    return new LedgerOfTask(task, workspace);
  };
}

/** The parts of a ledger that the tasks of a workspace share. */
class WorkspaceLedger {
  readonly #root: string;
  readonly #host: FeatureHost;
  readonly #file: LedgerFile;
  readonly #concurrent = new ConcurrentWrites();

  constructor(root: string, host: FeatureHost) {
    this.#root = root;
    this.#host = host;
    this.#file = new LedgerFile(root, { clock: host.clock });
  }

  /** The lines of a task. `facts`: of a task that has records. */
  linesOf({ id, driver }: FeatureTask, facts: ResidentState["facts"]): TaskLedger {
    return new TaskLedger({
      file: this.#file,
      driver,
      taskId: id,
      ...(facts !== undefined && { facts }),
      onError: (error) => this.#host.onError(error, id),
    });
  }

  recordingOf({ id, options }: FeatureTask): WriteRecording {
    return writeRecording({
      workspace: this.#root,
      dataDir: this.#host.dataDir,
      hasCheckpoints: options.checkpoints === true,
      concurrent: this.#concurrent,
      onError: (error) => this.#host.onError(error, id),
    });
  }
}

class LedgerOfTask implements TaskFeature<Adds<"recording">> {
  readonly #task: FeatureTask;
  readonly #workspace: WorkspaceLedger;
  /** Absent while the task is passive, once its lines are appended. */
  #lines: TaskLedger | undefined;

  constructor(task: FeatureTask, workspace: WorkspaceLedger) {
    this.#task = task;
    this.#workspace = workspace;
  }

  reside({ facts }: ResidentState): ResidentFeature<Adds<"recording">> {
    this.#lines ??= this.#workspace.linesOf(this.#task, facts);
    return {
      environment: { recording: this.#workspace.recordingOf(this.#task) },
      onRecord: (record) => this.#lines?.add(record),
    };
  }

  onPassive(): void {
    if (this.#lines?.isIdle === true) this.#lines = undefined;
  }

  async ended(): Promise<void> {
    await this.#lines?.flushed();
  }
}
