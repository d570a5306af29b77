import { type Command, InvalidArgumentError, Option } from "commander";
import { openHistory } from "../runtime/task-history/task-history.ts";
import { fileJournal } from "../store/journal/file.ts";
import type { HistoryTimes } from "../store/postgres/history/history.ts";
import type { LeaseOptions } from "../store/postgres/leases.ts";
import { DEFAULT_SCHEMA } from "../store/postgres/schema-name.ts";
import type { PostgresStore } from "../store/postgres/store.ts";
import { taskFolder } from "../store/task-history/task-folder.ts";
import type { TaskHistory } from "../store/task-history/task-history.ts";
import { formatCommandLine } from "./command-line.ts";
import { CliError } from "./error.ts";
import type { Io } from "./io.ts";
import { withCliErrors } from "./store-error.ts";

/** Flags of a command whose tasks may be in a database. */
export interface TaskStoreFlags {
  /** The URL; true: the one of the environment. Absent: the tasks are in files. */
  readonly database?: string | true;
  readonly schema?: string;
}

/** The journals of tasks, and their history. */
export interface TaskStore {
  /** Where the tasks are, for messages. */
  readonly place: string;
  readonly journal: PostgresStore["journal"];
  /** Absent: in files. */
  readonly objects?: PostgresStore["objects"];
  readonly history: TaskHistory;
  /** Absent: in files. */
  readonly database?: TaskDatabase;
  /** Format a command for tasks of this store, which a user can copy. It has no password. */
  commandLine(args: readonly string[]): string;
  /** Format the command that resumes a task, or serves a page where a user can. */
  resumeLine(taskId: string): string;
  close(): Promise<void>;
}

/** The database of tasks. */
export interface TaskDatabase {
  readonly url: string;
  readonly schema: string;
  readonly store: PostgresStore;
}

/** The part of a store that shows a task. */
export type TaskReader = Pick<TaskStore, "journal" | "history" | "commandLine" | "resumeLine">;

/** Add the options of a database to a command. */
export const addTaskStoreOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        "--database [url]",
        "tasks in PostgreSQL, not in files; without a URL, in the database of the variable SIGNALBOX_DATABASE (docs/guide/postgres.md)",
      ).argParser(databaseUrl),
    )
    .option("--schema <name>", "with --database: schema of the tables", DEFAULT_SCHEMA);

/**
 * The word after the option, as a URL. The message of the error contains the word, so only one that has no password is rejected
 * here.
 *
 * @throws InvalidArgumentError for another argument of the command
 */
function databaseUrl(value: string): string {
  if (value === "" || /[:/@]/.test(value)) return value;
  throw new InvalidArgumentError(
    "Expected postgres://USER:PASSWORD@HOST:PORT/DATABASE. Give other arguments before --database.",
  );
}

/** The tasks in the files of a data folder. */
export function openFiles(dataDir: string): TaskStore {
  const commandLine: TaskStore["commandLine"] = (args) => formatCommandLine(args, dataDir);
  return {
    place: dataDir,
    journal: (taskId) => fileJournal({ dir: taskFolder(dataDir, taskId) }),
    history: openHistory({ dataDir }),
    commandLine,
    resumeLine: (taskId) => commandLine(["run", "--session-id", taskId]),
    close: async () => {},
  };
}

/** Open the files of a data folder, or a database. @throws CliError */
export async function openTaskStore(
  { database, schema = DEFAULT_SCHEMA }: TaskStoreFlags,
  dataDir: string,
  { env }: Pick<Io, "env">,
  times: LeaseOptions & HistoryTimes = {},
): Promise<TaskStore> {
  if (database === undefined) return openFiles(dataDir);
  const url = database === true ? (env.SIGNALBOX_DATABASE ?? "") : database;
  if (url === "")
    throw new CliError("expected a database, got none. Set SIGNALBOX_DATABASE, or give --database a URL.");
  const { openPostgres } = await import("../store/postgres/store.ts");
  const store = await withCliErrors(() => openPostgres({ url, schema, ...times }));
  // Worktrees and copies are in the data folder, wherever the journals are.
  const { ownFiles } = openHistory({ dataDir });
  const option = [
    ...["--database", ...(database === true ? [] : ["URL"])],
    ...(schema === DEFAULT_SCHEMA ? [] : ["--schema", schema]),
  ];
  const commandLine: TaskStore["commandLine"] = (args) => formatCommandLine([...args, ...option], dataDir);
  return {
    ...store,
    history: { ...store.history, ownFiles },
    place: `${store.label}, schema ${schema}`,
    database: { url, schema, store },
    commandLine,
    resumeLine: () => commandLine(["serve"]),
    close: () => withCliErrors(() => store.close()),
  };
}

/** Work with the tasks of a data folder or a database. @throws CliError */
export async function withTaskStore<T>(
  flags: TaskStoreFlags & { readonly dataDir: string },
  io: Pick<Io, "env">,
  work: (store: TaskStore) => Promise<T>,
): Promise<T> {
  const store = await openTaskStore(flags, flags.dataDir, io);
  try {
    return await withCliErrors(() => work(store));
  } finally {
    await store.close();
  }
}
