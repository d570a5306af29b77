import path from "node:path";
import { createServer } from "../../server/server.ts";
import { bound, count, pool, repeatable } from "../arguments.ts";
import { formatTaskError } from "../cluster/task-error.ts";
import { assertClusterNode, databaseOf, openDatabaseWakes, withClusterErrors } from "../cluster/workers.ts";
import { createDataFolder } from "../data-folder.ts";
import { errorMessage, formatCliError } from "../error.ts";
import type { Io } from "../io.ts";
import { formatListenWarning } from "../listen-warning.ts";
import { Exit, listenToSignals } from "../run/exit.ts";
import { openServedTask } from "../run/served-task.ts";
import { addTaskOptions, type TaskFlags } from "../settings/run-flags.ts";
import { readSettings } from "../settings/run-settings.ts";
import { addTaskStoreOptions, openTaskStore, type TaskStoreFlags } from "../task-store.ts";
import type { Define } from "./command.ts";

/** Parsed flags of `worker`. */
interface WorkerFlags extends TaskFlags, TaskStoreFlags {
  /** The address that servers reach it at. */
  readonly host: string;
  readonly pool?: readonly string[];
  readonly tasks: number;
  /** Seconds. */
  readonly drain: number;
  readonly idle: number;
  readonly lease: number;
}

export const define: Define = (command, { io, end }) => {
  addTaskStoreOptions(addTaskOptions(command))
    .option(
      "--host <address>",
      "address of this machine that servers reach the worker at; the default is for servers on this machine",
      "127.0.0.1",
    )
    .option(
      "--pool <name>",
      "pool whose tasks it runs, for tasks that need this machine (repeatable; default: default)",
      (value: string, before?: readonly string[]) => repeatable(pool(value), before),
    )
    .option("--tasks <n>", "maximum number of tasks that are open at once", count, 100)
    .option("--drain <seconds>", "after SIGTERM: time for tasks to come to rest", bound, 30)
    .option("--idle <seconds>", "time at rest after which a task is closed", bound, 60)
    .option(
      "--lease <seconds>",
      "time after which another worker can continue the tasks of this one if it dies",
      count,
      30,
    )
    .action(async (flags: WorkerFlags) => end(await work(flags, io)));
};

/** Work on the tasks of a database until a signal, then drain. @throws CliError */
async function work(flags: WorkerFlags, io: Io): Promise<number> {
  await assertClusterNode();
  const { createWorker } = await import("../../cluster/worker/worker.ts");
  const { host: address, pool: pools, tasks, drain, idle, lease, ...others } = flags;
  const { database: _database, schema: _schema, ...shared } = others;
  const settings = await readSettings(undefined, { ...shared, outputFormat: "text", tui: true }, io, false);
  const dataDir = path.resolve(settings.dataDir);
  createDataFolder(dataDir);
  const tasksIn = await openTaskStore(flags, dataDir, io, { leaseMs: lease * 1_000 });
  const closing: (() => Promise<void>)[] = [() => tasksIn.close()];
  const report = (what: string, error: unknown): void => {
    io.stderr.write(formatCliError(`${what}: ${errorMessage(error)}`));
  };
  try {
    const database = databaseOf(tasksIn);
    const served = await openServedTask(settings, io);
    closing.unshift(() => served.close());
    const wakes = await openDatabaseWakes(database, io);
    closing.unshift(() => wakes.close());
    const workspace = path.resolve(settings.workspace ?? ".");
    const worker = await withClusterErrors(() =>
      createWorker({
        store: database.store,
        wakes,
        task: served.task,
        host: { dataDir },
        workspace,
        ...(pools !== undefined && { pools }),
        atOnce: tasks,
        drainMs: drain * 1_000,
        idleMs: idle * 1_000,
        onError: (error, id) => io.stderr.write(formatTaskError(id, error)),
        async serve(host) {
          const server = await createServer({
            host,
            history: tasksIn.history,
            journal: tasksIn.journal,
            task: served.task,
            workspace,
            address,
            onError: (error) => report("a request failed", error),
          });
          return { address: { url: server.url, token: server.token }, close: () => server.close() };
        },
      }),
    );
    const exit = new Exit();
    const unlisten = listenToSignals(io, exit);
    io.stdout.write(`Working on tasks of ${tasksIn.place}\n`);
    io.stderr.write(formatListenWarning(address));
    const code = await exit.code;
    await worker.drain();
    unlisten();
    return code;
  } finally {
    for (const close of closing) await close();
  }
}
