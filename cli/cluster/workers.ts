import type { PostgresWakes, WakesStore } from "../../cluster/wakes/wakes.ts";
import type { ServedWorkers } from "../../server/workers/workers.ts";
import { CliError, errorMessage, formatCliError } from "../error.ts";
import type { Io } from "../io.ts";
import type { TaskDatabase, TaskStore } from "../task-store.ts";

/** @throws CliError if the tasks are in files */
export function databaseOf({ database }: TaskStore): TaskDatabase {
  if (database !== undefined) return database;
  throw new CliError(
    "workers share their tasks in a database, but got none. Add --database with a URL, or set SIGNALBOX_DATABASE.",
  );
}

/** Convert an error of wakes or workers to an error of the command. */
export async function withClusterErrors<T>(work: () => Promise<T>): Promise<T> {
  const { ClusterError } = await import("../../cluster/error.ts");
  try {
    return await work();
  } catch (error) {
    throw error instanceof ClusterError ? new CliError(errorMessage(error), { cause: error }) : error;
  }
}

/** @throws CliError if this version of Node is too old for workers */
export async function assertClusterNode(): Promise<void> {
  const { assertNode } = await import("../../cluster/node-version.ts");
  await withClusterErrors(async () => assertNode());
}

/** Open the wakes of a database. @throws CliError */
export async function openDatabaseWakes(
  { url, store }: { readonly url: string; readonly store: WakesStore },
  io: Pick<Io, "stderr">,
): Promise<PostgresWakes> {
  const { openWakes } = await import("../../cluster/wakes/wakes.ts");
  const onError = (error: unknown): void => {
    io.stderr.write(formatCliError(`the wakes of workers failed: ${errorMessage(error)}`));
  };
  return withClusterErrors(() => openWakes({ url, store, onError }));
}

/** The workers of a database, for a server. `pool`: the pool of new tasks. @throws CliError */
export async function openWorkers(
  store: TaskStore,
  pool: string | undefined,
  io: Io,
): Promise<ServedWorkers & { close(): Promise<void> }> {
  const database = databaseOf(store);
  const wakes = await openDatabaseWakes(database, io);
  const { inbox, owners, pools } = database.store;
  const chosen = pool === undefined ? {} : { pool };
  return { inbox, owners, pools, ...chosen, wakes, close: () => wakes.close() };
}
