import { type Command, Option } from "commander";
import { openHistory } from "../runtime/task-history/task-history.ts";
import { fileJournal } from "../store/journal/file.ts";
import type { HistoryTimes } from "../store/postgres/history/history.ts";
import type { LeaseOptions } from "../store/postgres/leases.ts";
import { DEFAULT_SCHEMA } from "../store/postgres/schema-name.ts";
import type { PostgresStore } from "../store/postgres/store.ts";
import { taskFolder } from "../store/task-history/task-folder.ts";
import type { TaskHistory } from "../store/task-history/task-history.ts";
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
  close(): Promise<void>;
}

/** The database of tasks. */
export interface TaskDatabase {
  readonly url: string;
  readonly schema: string;
  readonly store: PostgresStore;
}

/** Add the options of a database to a command. */
export const addTaskStoreOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        "--database [url]",
        "keep journals in PostgreSQL; without a URL, in the database of the variable SIGNALBOX_DATABASE (docs/guide/postgres.md)",
      ),
    )
    .option("--schema <name>", "with --database: schema of the tables", DEFAULT_SCHEMA);

/** Open the files of a data folder, or a database. @throws CliError */
export async function openTaskStore(
  { database, schema = DEFAULT_SCHEMA }: TaskStoreFlags,
  dataDir: string,
  { env }: Pick<Io, "env">,
  times: LeaseOptions & HistoryTimes = {},
): Promise<TaskStore> {
  if (database === undefined)
    return {
      place: dataDir,
      journal: (taskId) => fileJournal({ dir: taskFolder(dataDir, taskId) }),
      history: openHistory({ dataDir }),
      close: async () => {},
    };
  const url = database === true ? (env.SIGNALBOX_DATABASE ?? "") : database;
  if (url === "")
    throw new CliError("expected a database, got none. Set SIGNALBOX_DATABASE, or give --database a URL.");
  const { openPostgres } = await import("../store/postgres/store.ts");
  const store = await withCliErrors(() => openPostgres({ url, schema, ...times }));
  // Worktrees and copies are in the data folder, wherever the journals are.
  const { ownFiles } = openHistory({ dataDir });
  return {
    ...store,
    history: { ...store.history, ownFiles },
    place: `${store.label}, schema ${schema}`,
    database: { url, schema, store },
    close: () => withCliErrors(() => store.close()),
  };
}
