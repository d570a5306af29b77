import { systemClock } from "../actors/protocol/edge.ts";
import { throwUncaught } from "../actors/protocol/uncaught.ts";
import type { Clock } from "../ports/clock.ts";
import type { JournalDriver } from "../ports/journal.ts";
import type { Host } from "../runtime/host.ts";
import type { TaskHistory } from "../store/task-history/task-history.ts";
import type { SuiteReport } from "../wire/http/suite.ts";
import type { Verification, VerificationCounts } from "../wire/http/verification.ts";
import { DEFAULT_SERVER_BOUNDS, type ServerBounds } from "./bounds.ts";
import { Streams } from "./streams.ts";
import { ControlReplays } from "./tasks/control-replays.ts";
import { PermissionReplays } from "./tasks/permission-replays.ts";
import { type ServedTask, TaskCommands } from "./tasks/task-commands.ts";
import { TaskFiles } from "./tasks/task-files.ts";
import { TaskList } from "./tasks/task-list.ts";
import { TaskTraces } from "./traces/task-traces.ts";
import { OwnerRequests } from "./workers/owner-requests.ts";
import { SentCommands } from "./workers/sent-commands.ts";
import type { ServedWorkers } from "./workers/workers.ts";

/** Write the trajectory of a run, by its index in the suite, as a task on disk. Returns its id; undefined: there is none. */
export type OpenRun = (run: number) => Promise<string | undefined>;

/** A verification of the machine, with the counts of the recorded tasks. */
export interface ServedVerification {
  readonly result: Verification;
  /** Count what the changed tasks recorded since the last call, or all tasks. Resolves with the counts of all. */
  count(changed?: readonly string[]): Promise<VerificationCounts>;
}

/** Options of a server and of a handler. */
export interface ServiceOptions {
  /** The host of the tasks. Close it before the server, so that clients see the tasks settle. */
  readonly host: Host;
  /** The tasks on disk, in the host's data directory. */
  readonly history: TaskHistory;
  /** The journal of a task, for reading: `fileJournals(dataDir)`, or the host's own `journal`. */
  readonly journal: (taskId: string) => Pick<JournalDriver, "path" | "read">;
  /** The options of each task: its model, its policy. */
  readonly task: ServedTask;
  /** The default workspace; relative workspaces are resolved against it. */
  readonly workspace: string;
  readonly bounds?: Partial<ServerBounds>;
  /** A measured control suite that the page shows. */
  readonly suite?: SuiteReport;
  /** Opens the trajectories of the suite's runs. Default: none can be opened. */
  readonly openRun?: OpenRun;
  /** A verification of the machine that the page shows, with counts that grow while tasks run. */
  readonly verification?: ServedVerification;
  /** Workers that run the tasks, which the host then does not open. Absent: the host runs them. */
  readonly workers?: ServedWorkers;
  /** The clock, for tests. */
  readonly clock?: Clock;
  /** Called with errors that clients don't see: defects. Default: thrown as uncaught exceptions. */
  readonly onError?: (error: unknown) => void;
}

/** The services that the routes use. */
export interface Services {
  readonly commands: TaskCommands;
  readonly files: TaskFiles;
  readonly list: TaskList;
  readonly traces: TaskTraces;
  readonly replays: PermissionReplays;
  readonly controlReplays: ControlReplays;
  readonly streams: Streams;
  readonly history: Pick<TaskHistory, "search" | "summary">;
  /** The tasks are run by workers: these, and the requests to them. */
  readonly workers: (ServedWorkers & { readonly requests: OwnerRequests }) | undefined;
  readonly clock: Clock;
  readonly bounds: ServerBounds;
  readonly suite: SuiteReport | undefined;
  readonly openRun: OpenRun;
  readonly verification: ServedVerification | undefined;
  /** The OpenAPI description. */
  description(): unknown;
  onError(error: unknown): void;
}

export function openServices(options: ServiceOptions, description: () => unknown): Services {
  const { host, history, journal, task, workspace, clock = systemClock, onError = throwUncaught } = options;
  const bounds = { ...DEFAULT_SERVER_BOUNDS, ...options.bounds };
  const files = new TaskFiles({ history, onError });
  const { workers } = options;
  const requests = workers && new OwnerRequests({ workers, history, clock, bounds });
  const list = new TaskList({
    host,
    history,
    files,
    clock,
    bounds,
    onError,
    elsewhere: requests,
    pools: workers?.pools,
  });
  const commands = { host, history, list, task, workspace };
  return {
    files,
    list,
    history,
    clock,
    bounds,
    suite: options.suite,
    openRun: options.openRun ?? (async () => undefined),
    verification: options.verification,
    onError,
    description,
    workers: workers && requests && { ...workers, requests },
    commands:
      workers && requests
        ? new SentCommands({ ...commands, workers, owners: requests, clock, bounds })
        : new TaskCommands(commands),
    traces: new TaskTraces({ host, files, journal, clock, bounds, laws: task.debugging?.laws }),
    replays: new PermissionReplays({ host, history, journal, task, workspace }),
    controlReplays: new ControlReplays({ host, history, journal }),
    streams: new Streams(clock, bounds.streams),
  };
}
