import { Option } from "commander";
import { printable } from "../../client/printable/printable.ts";
import { plural } from "../../present/plural.ts";
import { checkDatabase } from "../../store/postgres/check-database.ts";
import { checkJournals, type JournalsReport } from "../../store/postgres/check-journals.ts";
import { Database, isDatabaseUrl } from "../../store/postgres/database.ts";
import { leasesOf } from "../../store/postgres/leases.ts";
import { migrate, SCHEMA_VERSION } from "../../store/postgres/migrations.ts";
import { databaseSide } from "../../store/postgres/move/database.ts";
import { filesSide } from "../../store/postgres/move/files.ts";
import { type Moved, moveTasks } from "../../store/postgres/move/move.ts";
import { DEFAULT_SCHEMA } from "../../store/postgres/schema-name.ts";
import { tablesIn } from "../../store/postgres/tables.ts";
import { CliError, EXIT } from "../error.ts";
import type { Io } from "../io.ts";
import { movedCheckpoints } from "../moved-checkpoints.ts";
import { textOrJson } from "../options.ts";
import { withCliErrors } from "../store-error.ts";
import type { Define } from "./command.ts";

interface DatabaseFlags {
  readonly database?: string;
  readonly schema: string;
}

interface CheckFlags extends DatabaseFlags {
  readonly format: "text" | "json";
}

interface MoveFlags {
  readonly from: string;
  readonly to: string;
  readonly schema: string;
}

export const define: Define = (db, { io, end }) => {
  const schema = ["--schema <name>", "schema of the tables", DEFAULT_SCHEMA] as const;
  const database = () =>
    new Option(
      "--database <url>",
      "postgres://USER:PASSWORD@HOST:PORT/DATABASE (default: the variable SIGNALBOX_DATABASE, which keeps the password out of the command line)",
    );
  db.command("migrate")
    .description("create the tables, or bring them to this version")
    .addOption(database())
    .option(...schema)
    .action(async (flags: DatabaseFlags) => end(await withCliErrors(() => migrateTables(flags, io))));
  db.command("check")
    .description("check version, rights and counts, and that the rows of each task are whole")
    .addOption(database())
    .option(...schema)
    .addOption(textOrJson())
    .action(async (flags: CheckFlags) => end(await withCliErrors(() => check(flags, io))));
  db.command("move")
    .description("copy the tasks of a data folder to a database or back, and mark the originals as moved")
    .requiredOption("--from <place>", "data folder, or URL of a database")
    .requiredOption("--to <place>", "URL of a database, or data folder")
    .option(...schema)
    .action(async (flags: MoveFlags) => end(await withCliErrors(() => move(flags, io))));
};

function urlOf({ database }: DatabaseFlags, { env }: Io): string {
  const url = database ?? env.SIGNALBOX_DATABASE ?? "";
  if (url === "")
    throw new CliError("expected a database, got none. Set SIGNALBOX_DATABASE, or add --database URL.");
  return url;
}

/** `db migrate`: print the versions before and after. */
async function migrateTables(flags: DatabaseFlags, io: Io): Promise<number> {
  tablesIn(flags.schema);
  return withDatabase(urlOf(flags, io), async (database) => {
    const { from, to } = await migrate(database, flags.schema);
    const versions = from === to ? `is at version ${to}` : `was at version ${from}, is at version ${to}`;
    io.stdout.write(`Schema ${flags.schema} of ${database.label} ${versions}.\n`);
    return EXIT.done;
  });
}

/** `db check`: print counts and problems. Exit code 1 for a problem. */
async function check(flags: CheckFlags, io: Io): Promise<number> {
  return withDatabase(urlOf(flags, io), async (database) => {
    await checkDatabase(database, flags.schema);
    const report = await checkJournals(database, flags.schema);
    const text =
      flags.format === "json"
        ? JSON.stringify({ version: SCHEMA_VERSION, ...report })
        : formatReport(flags.schema, report);
    io.stdout.write(`${text}\n`);
    return report.problems.length === 0 ? EXIT.done : EXIT.failed;
  });
}

function formatReport(schema: string, report: JournalsReport): string {
  const { tasks, owned, workers, records, bytes, problems } = report;
  return [
    `Schema ${schema}: version ${SCHEMA_VERSION}, all rights.`,
    `${plural(tasks, "task")} (${owned} owned, ${plural(workers, "worker")}), ${plural(records, "record")}, ${plural(bytes, "byte")}: ${problems.length === 0 ? "no problems" : plural(problems.length, "problem")}.`,
    ...problems.map(({ task, problem }) => `  ${printable(task)}: ${printable(problem)}.`),
  ].join("\n");
}

/** `db move`: print the end of each task. Exit code 1 if one was refused. */
async function move({ from, to, schema }: MoveFlags, io: Io): Promise<number> {
  if (isDatabaseUrl(from) === isDatabaseUrl(to))
    throw new CliError(
      "expected one data folder and one URL of a database as --from and --to, got two of a kind.",
    );
  const tables = tablesIn(schema);
  return withDatabase(isDatabaseUrl(from) ? from : to, async (database) => {
    await checkDatabase(database, schema);
    const leases = leasesOf(database, tables, {});
    try {
      const rows = databaseSide({ database, tables, schema, leases });
      const dataDir = isDatabaseUrl(from) ? to : from;
      const files = filesSide(dataDir, movedCheckpoints(dataDir, io.env));
      const [source, target] = isDatabaseUrl(from) ? [rows, files] : [files, rows];
      const ends = { moved: 0, earlier: 0, refused: 0 };
      for await (const moved of moveTasks(source, target)) {
        ends[moved.end] += 1;
        io.stdout.write(`${formatMoved(moved)}\n`);
      }
      io.stdout.write(
        `Moved ${plural(ends.moved, "task")} from ${source.place} to ${target.place}; ${ends.earlier} moved before, ${ends.refused} refused.\n` +
          "The originals were kept, marked as moved. Nothing deletes them: remove them when you need them no longer.\n",
      );
      return ends.refused === 0 ? EXIT.done : EXIT.failed;
    } finally {
      await leases.end();
    }
  });
}

function formatMoved(moved: Moved): string {
  const task = printable(moved.task);
  if (moved.end === "moved") {
    const objects =
      moved.objects === 0
        ? ""
        : `, ${plural(moved.objects, "output or checkpoint", "outputs and checkpoints")}`;
    return [`${task}: moved ${plural(moved.bytes, "byte")}${objects}.`, ...moved.notes.map(printable)].join(
      " ",
    );
  }
  const result = moved.end === "earlier" ? "moved before" : "refused";
  return `${task}: ${result}. ${printable(moved.reason)}`;
}

async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await Database.open({ url });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
