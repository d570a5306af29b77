import { open } from "node:fs/promises";
import { homedir } from "node:os";
import { plural } from "../../present/plural.ts";
import { count, recordFrom } from "../arguments.ts";
import { type MeasuredSuite, suiteIn } from "../control/report/suite-file.ts";
import { trajectoriesOf } from "../control/report/trajectories.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import { withCliErrors } from "../store-error.ts";
import { addTaskStoreOptions, withTaskStore } from "../task-store.ts";
import { agentFolders } from "../transcripts/agent-folders.ts";
import { convertSessions } from "../transcripts/converted.ts";
import { isSessionName, type SessionFiles, sessionAt, sessionsIn } from "../transcripts/session-files.ts";
import { copyJournal, viewingFlags, withDataDir } from "../viewed-data.ts";
import type { Define } from "./command.ts";
import { addServeOptions, type ServeFlags, serve } from "./serve.ts";

/** The default of `--max-sessions`. */
const AGENT_SESSIONS_MAX = 100;

interface InspectFlags extends ServeFlags {
  /** The record that the page opens at. Default: the last, following the task. */
  readonly at?: number;
  /** Look for sessions in the usual folders of other agents. */
  readonly agents?: true;
  readonly maxSessions: number;
  /** Mask secrets in sessions of other agents. */
  readonly maskSecrets?: true;
}

export const define: Define = (command, { io, end }) => {
  command
    .argument(
      "[id]",
      "task id or a prefix of it, a journal file, runs of control run (.jsonl), or a session of another agent: a file, or a folder with a / in its name",
    )
    .option(
      "--at <seq>",
      "record at which the page opens (default: the last)",
      recordFrom(0, "signalbox show ID --seq shows the numbers"),
    );
  command
    .option("--agents", "open the newest sessions in the usual folders of other agents, read only")
    .option("--max-sessions <n>", "most sessions that --agents opens", count, AGENT_SESSIONS_MAX)
    .option("--mask-secrets", "replace secrets in sessions of other agents by [masked]");
  addTaskStoreOptions(addServeOptions(command, 0)).action(
    async (id: string | undefined, flags: InspectFlags) => end(await inspect(id, flags, io)),
  );
};

/**
 * Open the visual debugger on the tasks of a data directory or a database, at the task `given`, on a copy of the journal file (`.jsonl`) that
 * `given` names, at the measures of its runs of `control run`, whose logs are opened as tasks, or at the sessions of other agents in a
 * file, a folder or their usual folders.
 *
 * @throws CliError for an unknown task, and as {@link serve} does
 */
async function inspect(
  given: string | undefined,
  { at, agents, maxSessions, maskSecrets, ...flags }: InspectFlags,
  io: Io,
): Promise<number> {
  const { own, foreign } = viewingFlags(flags, io);
  const record = at === undefined ? {} : { at };
  if (agents === true && given !== undefined)
    throw new CliError(`--agents was given with ${given}. Expected one of them.`);
  const target = agents === true ? await agentSessions(maxSessions, io) : await targetOf(given);
  if (flags.database !== undefined && target.kind !== "task")
    throw new CliError(
      `--database was given with ${given ?? "--agents"}, which is in files. Expected a task id, or neither.`,
    );
  if (target.kind === "suite")
    return withDataDir((dataDir) => {
      const openRun = trajectoriesOf(target.suite, { dataDir, io, masksSecrets: maskSecrets === true });
      return serve({ ...foreign, dataDir }, io, { suite: target.suite.report, openRun });
    });
  if (target.kind === "journal")
    return withDataDir(async (dataDir) => {
      const task = await copyJournal(target.file, dataDir);
      return serve({ ...foreign, dataDir }, io, { task, ...record });
    });
  if (target.kind === "sessions")
    return withDataDir(async (dataDir) => {
      const [task] = await convertSessions(target.sessions, {
        dataDir,
        io,
        masksSecrets: maskSecrets === true,
      });
      if (agents === true) return serve({ ...foreign, dataDir }, io, { isTable: true });
      if (task === undefined)
        throw new CliError(`${given}: expected a journal, or a session of an agent, found neither.`);
      return serve({ ...foreign, dataDir }, io, { task, ...record });
    });
  if (given !== undefined) {
    const task = await withTaskStore(flags, io, ({ history }) => history.find(given));
    return serve(own, io, { task, ...record });
  }
  if (at !== undefined)
    throw new CliError("--at was given without a task. Expected a task id or a journal file before it.");
  const ids = await withTaskStore(flags, io, ({ history }) => history.ids());
  return ids.length > 1 ? serve(own, io, { isTable: true }) : serve(own, io);
}

type Target =
  | { readonly kind: "task" }
  | { readonly kind: "suite"; readonly suite: MeasuredSuite }
  | { readonly kind: "journal"; readonly file: string }
  | { readonly kind: "sessions"; readonly sessions: readonly SessionFiles[] };

/** The thing that the argument names: a file or a folder, if its name has the end or a separator of one. */
async function targetOf(given: string | undefined): Promise<Target> {
  if (given === undefined) return { kind: "task" };
  if (!isSessionName(given)) {
    const isFolder = /[/\\]|^\.+$/.test(given);
    return isFolder ? { kind: "sessions", sessions: await sessionsIn(given) } : { kind: "task" };
  }
  if (!given.endsWith(".jsonl")) return { kind: "sessions", sessions: [await sessionAt(given)] };
  const suite = await withCliErrors(() => suiteIn(given));
  if (suite !== undefined) return { kind: "suite", suite };
  return (await isSession(given))
    ? { kind: "sessions", sessions: [await sessionAt(given)] }
    : { kind: "journal", file: given };
}

/** The newest sessions in the usual folders of other agents. Prints the number of sessions. */
async function agentSessions(most: number, io: Io): Promise<Target> {
  const folders = agentFolders({ home: homedir(), platform: process.platform, env: io.env });
  const found = await Promise.all(
    folders.map(async ({ agent, folder }) => ({ agent, sessions: await sessionsIn(folder) })),
  );
  const sessions = found
    .flatMap((each) => each.sessions)
    .sort((one, other) => other.changedAt - one.changedAt);
  if (sessions.length === 0)
    throw new CliError(
      `--agents found no sessions. Expected some in ${folders.map(({ folder }) => folder).join(", ")}. Give a file or a folder.`,
    );
  const counts = found.filter((each) => each.sessions.length > 0);
  const agents = counts.map((each) => `${each.sessions.length} of ${each.agent}`).join(", ");
  const rest = sessions.length > most ? `; the newest ${most} are shown, see --max-sessions` : "";
  io.stdout.write(
    `Found ${plural(sessions.length, "session")} (${agents})${rest}. Nothing is written to their folders.\n`,
  );
  return { kind: "sessions", sessions: sessions.slice(0, most) };
}

/** Whether the first line is a record of another agent: a line of a journal begins with its checksum. */
async function isSession(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    for await (const line of handle.readLines()) return line.startsWith("{") && !line.startsWith('{"crc":');
    return false;
  } finally {
    await handle.close();
  }
}
