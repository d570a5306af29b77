import path from "node:path";
import type { Command } from "commander";
import { createHost } from "../../runtime/host.ts";
import { createServer } from "../../server/server.ts";
import type { OpenRun, ServedVerification } from "../../server/services.ts";
import type { ServedWorkers } from "../../server/workers/workers.ts";
import type { SuiteReport } from "../../wire/http/suite.ts";
import { pool as poolName, port as portNumber } from "../arguments.ts";
import { assertClusterNode, openWorkers } from "../cluster/workers.ts";
import { createDataFolder } from "../data-folder.ts";
import { CliError, EXIT, errorMessage, formatCliError } from "../error.ts";
import type { Io } from "../io.ts";
import { formatListenWarning } from "../listen-warning.ts";
import { closeHost, Exit, listenToSignals } from "../run/exit.ts";
import { openServedTask } from "../run/served-task.ts";
import type { RunSettings } from "../run/settings.ts";
import { addTaskOptions, type TaskFlags } from "../settings/run-flags.ts";
import { readSettings } from "../settings/run-settings.ts";
import { addTaskStoreOptions, openTaskStore, type TaskStore, type TaskStoreFlags } from "../task-store.ts";
import type { Define } from "./command.ts";

/** Time in which a change of a task that a worker runs is seen in the list, in ms. */
const WORKERS_WATCH_MS = 500;

/** Parsed flags of `serve`. */
export interface ServeFlags extends TaskFlags, TaskStoreFlags {
  readonly port: number;
  /** The address to listen on. */
  readonly host: string;
  /** Whether workers run the tasks. */
  readonly workers?: true;
  /** The pool of new tasks. */
  readonly pool?: string;
}

export const define: Define = (command, { io, end }) => {
  addTaskStoreOptions(addServeOptions(command, 8485))
    .option(
      "--workers",
      "with --database: leave the tasks to `signalbox worker` processes (docs/guide/cluster.md)",
    )
    .option("--pool <name>", "with --workers: pool of new tasks (default: default)", poolName)
    .action(async (flags: ServeFlags) => end(await serve(flags, io)));
};

/** Add the options of `serve` to a command. */
export function addServeOptions(command: Command, defaultPort: number): Command {
  command
    .option("--port <n>", "port to listen on; 0 picks a free one", portNumber, defaultPort)
    .option(
      "--host <address>",
      "address to listen on; the default is reachable from this machine only",
      "127.0.0.1",
    );
  return addTaskOptions(command);
}

/** The start of the page: a task, the table of all tasks, a measured control suite, or a verification. */
type PageTarget =
  | {
      readonly task: string;
      /** A record number. Absent: the end, following the task. */
      readonly at?: number;
    }
  | { readonly isTable: true }
  | { readonly suite: SuiteReport; readonly openRun: OpenRun }
  | { readonly verification: ServedVerification };

/**
 * Serve tasks, and the page opened at `target`, until a signal. Then every task is cancelled and settles.
 *
 * @throws CliError for conflicting flags, or if it can't listen on the port
 */
export async function serve(flags: ServeFlags, io: Io, target?: PageTarget): Promise<number> {
  const {
    port: _port,
    host: _host,
    database: _database,
    schema: _schema,
    workers: _workers,
    pool,
    ...shared
  } = flags;
  if (pool !== undefined && flags.workers !== true)
    throw new CliError(
      "a pool is a set of workers, but this server runs its tasks itself. Add --workers, or leave out --pool.",
    );
  // Tasks can be looked at without a key.
  const settings = await readSettings(undefined, { ...shared, outputFormat: "text", tui: true }, io, false);
  const dataDir = path.resolve(settings.dataDir);
  createDataFolder(dataDir);
  if (flags.workers === true) await assertClusterNode();
  // The tasks of workers change without a notice.
  const times = flags.workers === true ? { watchMs: WORKERS_WATCH_MS } : {};
  const store = await openTaskStore(flags, dataDir, io, times);
  try {
    const workers = flags.workers === true ? await openWorkers(store, pool, io) : undefined;
    const { host: address, port } = flags;
    return await serveTasks({ ...settings, dataDir }, { store, workers, address, port, target }, io);
  } finally {
    await store.close();
  }
}

interface Serving {
  readonly store: TaskStore;
  readonly workers: (ServedWorkers & { close(): Promise<void> }) | undefined;
  readonly address: string;
  readonly port: number;
  readonly target: PageTarget | undefined;
}

async function serveTasks(
  settings: RunSettings,
  { store, workers, address, port, target }: Serving,
  io: Io,
): Promise<number> {
  const served = await openServedTask(settings, io);
  const report = (what: string, error: unknown): void => {
    io.stderr.write(formatCliError(`${what}: ${errorMessage(error)}`));
  };
  const host = createHost({
    dataDir: settings.dataDir,
    journal: store.journal,
    ...(store.objects && { objects: store.objects }),
    onError: (error, id) => report(`task ${id} failed`, error),
  });
  try {
    const server = await createServer({
      host,
      history: store.history,
      journal: store.journal,
      task: served.task,
      workspace: path.resolve(settings.workspace ?? "."),
      ...(workers !== undefined && { workers }),
      ...(target !== undefined && ("suite" in target || "verification" in target) && target),
      port,
      address,
      onError: (error) => report("a request failed", error),
    }).catch((error: unknown) => {
      throw listenError(address, port, error);
    });
    const exit = new Exit();
    const unlisten = listenToSignals(io, exit);
    io.stdout.write(
      `Serving ${store.place}\nOpen ${server.pageUrl}${target === undefined ? "" : formatPageTarget(target)}\n`,
    );
    io.stderr.write(formatListenWarning(address));
    const code = await exit.code;
    const isWritten = await closeHost(host, io);
    await server.close();
    unlisten();
    return isWritten ? code : EXIT.failed;
  } finally {
    await served.close();
    await workers?.close();
  }
}

function formatPageTarget(target: PageTarget): string {
  if ("suite" in target) return "&view=suite";
  if ("verification" in target) return "&view=verification";
  if ("isTable" in target) return "&view=tasks";
  return `&task=${encodeURIComponent(target.task)}${target.at === undefined ? "" : `&at=${target.at}`}`;
}

function listenError(address: string, port: number, error: unknown): CliError {
  const message = `can't listen on ${address}, port ${port}: ${errorMessage(error)}. Use another --port, or 0 for a free one.`;
  return new CliError(message, { cause: error });
}
