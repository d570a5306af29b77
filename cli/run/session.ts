import path from "node:path";
import { SandboxError } from "../../adapters/sandbox/error.ts";
import { selectedProfile } from "../../machines/task/profile.ts";
import type { Host } from "../../runtime/host.ts";
import type { ReopenOptions } from "../../runtime/options.ts";
import { HostError } from "../../runtime/task/errors.ts";
import { type PermissionChange, permissionsOf } from "../../runtime/task/permission-change.ts";
import type { Task } from "../../runtime/task/task.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { JournalError } from "../../store/journal/error.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import { ToolError } from "../../tools/error.ts";
import { formatCommandLine } from "../command-line.ts";
import { CliError, errorMessage, KeyError } from "../error.ts";
import { assertApplied } from "../refusal.ts";
import { stricter } from "../settings/policy.ts";
import { withCliErrors } from "../store-error.ts";
import type { RunModels, RunSettings } from "./settings.ts";

/** The id of the task to resume; undefined for a new one. @throws CliError where there is none */
export async function findSession({ session, workspace, dataDir }: RunSettings): Promise<string | undefined> {
  const history = openHistory({ dataDir });
  return withCliErrors(async () => {
    if (session.kind === "given") return history.find(session.id);
    if (session.kind === "newest") return newestTask(history, path.resolve(workspace ?? "."));
    if (session.id !== undefined && (await history.ids()).includes(session.id))
      throw new CliError(
        `task ${session.id} already exists: expected a new id. To resume it: ${formatCommandLine(["run", "--session-id", session.id], dataDir)}`,
      );
    return undefined;
  });
}

/** A subtask is resumed with its root task. */
async function newestTask(history: TaskHistory, workspace: string): Promise<string> {
  const tasks = await history.list({ workspace });
  const task = tasks.find(
    ({ parentId, problem }) => parentId === undefined && problem?.kind !== "unreadable",
  );
  if (task !== undefined) return task.id;
  throw new CliError(
    `workspace ${workspace} has no task to continue. Start one with a prompt, or find another with signalbox list.`,
  );
}

/** The options of a task besides the settings of its run. A workspace is given if it has an editor. */
type SessionOptions = RunModels & Pick<ReopenOptions, "workspace">;

/** Create the task of the run, or open it from its journal. @throws CliError where that fails */
export async function openSession(
  host: Host,
  id: string | undefined,
  settings: RunSettings,
  more: SessionOptions,
): Promise<Task> {
  const { workspace, session, mode } = settings;
  const options = { ...settings.task, ...more };
  try {
    if (id !== undefined) {
      const task = await host.open(id, { ...(workspace !== undefined && { workspace }), ...options });
      applyPermissions(task, settings);
      applyModel(task, settings);
      return task;
    }
    const given = session.kind === "new" ? session.id : undefined;
    return await host.create({
      workspace: workspace ?? ".",
      ...options,
      ...(given !== undefined && { id: given }),
      ...(mode !== undefined && { mode }),
    });
  } catch (error) {
    if (error instanceof SandboxError)
      throw new CliError(`${error.code}: ${error.message} The setting is sandbox.enabled.`, { cause: error });
    if (id === undefined)
      throw new CliError(`can't use the workspace: ${errorMessage(error)}`, { cause: error });
    throw await openError(id, error, settings);
  }
}

/** A resumed task keeps its rules, and a permission mode that is stricter than this run's. */
function applyPermissions(task: Task, settings: RunSettings): void {
  // A change that is held would apply later in this run.
  const { level, rules } = permissionsOf(task.snapshot.context.permissions);
  const given = settings.task.permissions.level;
  const named = settings.isPermissionModeNamed ? given : stricter(level, given);
  const change: Required<PermissionChange> = settings.asksAlways
    ? { level: stricter(named, "ask"), rules: rules.filter((rule) => rule.level !== "allow") }
    : { level: named, rules };
  if (change.level !== level || change.rules.length < rules.length)
    assertApplied(task.changePermissions(change));
}

/** A resumed task keeps its profile, unless the model is named for this run. */
function applyModel(task: Task, { model }: RunSettings): void {
  const { context } = task.snapshot;
  const { standard } = context.profiles;
  if (model.isNamed && selectedProfile(context) !== standard) assertApplied(task.selectProfile(standard));
}

async function openError(
  id: string,
  error: unknown,
  { dataDir, workspace }: Pick<RunSettings, "dataDir" | "workspace">,
): Promise<unknown> {
  if (error instanceof KeyError) return error;
  if (error instanceof CliError)
    return new CliError(`task ${id} can't be opened: ${error.message}`, { cause: error });
  if (error instanceof HostError && error.code === "TASK_DAMAGED") {
    const { lastSeq } = await openHistory({ dataDir }).read(id);
    const fork = formatCommandLine(["fork", id, "--at", String(lastSeq)], dataDir);
    return new CliError(`${error.message} To continue from the intact records: ${fork}`, { cause: error });
  }
  if (error instanceof JournalError && error.code === "JOURNAL_LOCKED")
    return new CliError(`task ${id} is open in another process. ${error.message}`, { cause: error });
  const isGone = error instanceof ToolError && ["NOT_FOUND", "NOT_A_FOLDER"].includes(error.code);
  const advice =
    isGone && workspace === undefined
      ? ` To resume it in another folder: ${formatCommandLine(["run", "--session-id", id, "-w", "FOLDER"], dataDir)}`
      : "";
  return new CliError(`task ${id} can't be opened: ${errorMessage(error)}${advice}`, { cause: error });
}

/** Format the notice about a torn journal end that was moved aside. */
export function formatDropped({ id, dropped }: Task): string {
  if (dropped === undefined) return "";
  return `The last ${dropped.bytes} bytes of the journal of task ${id}, from line ${dropped.line}, were incomplete and never acknowledged. They were moved to ${dropped.savedAs}.\n`;
}
