import {
  type Host,
  HostError,
  openHistory,
  type ReopenOptions,
  type Task,
  type TaskHistory,
} from "../../runtime/index.ts";
import { JournalError, TaskHistoryError } from "../../store/index.ts";
import { CliError, wordsOf } from "../error.ts";
import type { RunSettings } from "./settings.ts";
import { commandLine } from "./words.ts";

/** The id of the task that goes on; undefined for a new one. @throws CliError where there is none */
export async function sessionId({ session, workspace, dataDir }: RunSettings): Promise<string | undefined> {
  const history = openHistory({ dataDir });
  try {
    if (session.kind === "given") return await history.find(session.id);
    if (session.kind === "newest") return await newest(history, workspace ?? ".");
    if (session.id !== undefined && (await history.ids()).includes(session.id))
      throw new CliError(
        `there is a task ${session.id} already: expected a new id. To go on with it: ${commandLine(["run", "--session-id", session.id], dataDir)}`,
      );
    return undefined;
  } catch (error) {
    throw error instanceof TaskHistoryError ? new CliError(error.message, { cause: error }) : error;
  }
}

/** A subtask goes on with the task that it works for. */
async function newest(history: TaskHistory, workspace: string): Promise<string> {
  const tasks = await history.list({ workspace });
  const task = tasks.find(
    ({ parentId, problem }) => parentId === undefined && problem?.kind !== "unreadable",
  );
  if (task !== undefined) return task.id;
  throw new CliError(
    `no task of this workspace (${workspace}) is there to continue. Start one with a prompt; signalbox list shows those of others.`,
  );
}

/** Makes the run's task, or opens it from its journal. @throws CliError where that can't be */
export async function openSession(
  host: Host,
  id: string | undefined,
  settings: RunSettings,
  options: ReopenOptions,
): Promise<Task> {
  const { workspace, session, mode } = settings;
  try {
    if (id !== undefined)
      return await host.open(id, { ...options, ...(workspace !== undefined && { workspace }) });
    const given = session.kind === "new" ? session.id : undefined;
    return await host.create({
      ...options,
      workspace: workspace ?? ".",
      ...(given !== undefined && { id: given }),
      ...(mode !== undefined && { mode }),
    });
  } catch (error) {
    if (id === undefined)
      throw new CliError(`the workspace can't be used: ${wordsOf(error)}`, { cause: error });
    throw await whyNotOpened(id, error, settings.dataDir);
  }
}

async function whyNotOpened(id: string, error: unknown, dataDir: string): Promise<unknown> {
  if (error instanceof HostError && error.code === "TASK_DAMAGED") {
    const { lastSeq } = await openHistory({ dataDir }).read(id);
    const fork = commandLine(["fork", id, "--at", String(lastSeq)], dataDir);
    return new CliError(`${error.message} To go on from there: ${fork}`, { cause: error });
  }
  if (error instanceof JournalError && error.code === "JOURNAL_LOCKED")
    return new CliError(`task ${id} is open in another process. ${error.message}`, { cause: error });
  return new CliError(`task ${id} can't be opened: ${wordsOf(error)}`, { cause: error });
}

/** What was lost with the end of a journal that a crash tore, and where it lies. */
export function sayDropped({ id, dropped }: Task): string {
  if (dropped === undefined) return "";
  return `The end of task ${id}, ${dropped.bytes} bytes from line ${dropped.line} on, was half written and nobody was shown it. It was dropped and is kept in ${dropped.aside}.\n`;
}
