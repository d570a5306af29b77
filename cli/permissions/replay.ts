import type { PermissionMode } from "../../machines/tool-call/permissions.ts";
import { replaySentence } from "../../present/replay-sentence.ts";
import { ReplayResults } from "../../runtime/permission-replay/replay-results.ts";
import { type JudgingOptions, replayTasks } from "../../runtime/permission-replay/replay-tasks.ts";
import { openHistory } from "../../runtime/task-history/task-history.ts";
import { fileJournals } from "../../server/server.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { selectSandbox } from "../../settings/sandbox.ts";
import { selectShell } from "../../settings/shell.ts";
import { builtinTools, OPTIONAL_TOOLS } from "../../tools/builtin/builtin-tools.ts";
import { ToolError } from "../../tools/error.ts";
import { type HypotheticalPermissions, hypotheticalPermissions } from "../../tools/judge/hypothetical.ts";
import { CliError } from "../error.ts";
import type { Io } from "../io.ts";
import { configFolder } from "../settings/config-folder.ts";
import { loadRunSettings, withSettingsErrors } from "../settings/load.ts";
import { readRunModes } from "../settings/modes.ts";
import { formatIgnored } from "../settings/notice.ts";
import { runPermissions } from "../settings/policy.ts";
import { withCliErrors } from "../store-error.ts";
import { formatReplay, type TaskRow } from "./replay-text.ts";

/** Flags of `permissions replay`. */
export interface ReplayFlags {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly permissionMode?: PermissionMode;
  readonly workspace?: string;
  readonly dataDir: string;
  readonly format: "text" | "json";
}

/**
 * `permissions replay`: what other permissions would have changed in a task, or in all tasks of a workspace. The rules and the
 * mode are added to the settings of today. A damaged journal is reported and skipped.
 *
 * @throws CliError for an invalid rule, an unknown task, and a named task with a damaged journal
 */
export async function replayPermissions(
  prefix: string | undefined,
  flags: ReplayFlags,
  io: Io,
): Promise<string> {
  const tried = triedBy(flags);
  const { dataDir, format } = flags;
  const history = openHistory({ dataDir });
  const named = prefix === undefined ? undefined : await withCliErrors(() => history.find(prefix));
  const loaded = await loadRunSettings(
    {
      dataDir,
      ...(flags.workspace !== undefined && { workspace: flags.workspace }),
      ...(named !== undefined && { sessionId: named }),
    },
    io,
  );
  io.stderr.write(formatIgnored(loaded, flags.workspace));
  const tasks = await withCliErrors(async () =>
    named === undefined
      ? history.list({ workspace: flags.workspace ?? "." })
      : [await history.summary(named)],
  );
  const titles = new Map(tasks.map(({ id, title }) => [id, title]));
  const options = { journal: fileJournals(dataDir), task: await judgingOptions(loaded, io), tried };
  const all = new ReplayResults();
  const rows: TaskRow[] = [];
  for await (const task of replayTasks(titles.keys(), options)) {
    if ("problem" in task) reportSkipped(task.taskId, task.problem, named !== undefined, io);
    const one = new ReplayResults();
    for (const results of [one, all]) results.add(task);
    const { summary } = one.all;
    if (!("problem" in task))
      rows.push({ taskId: task.taskId, title: titles.get(task.taskId) ?? "", summary });
  }
  const { allow = [], deny = [], permissionMode: mode } = flags;
  const sentence = replaySentence(all.all.summary, { allow, deny, ...(mode !== undefined && { mode }) });
  return format === "json"
    ? `${JSON.stringify({ sentence, ...all.all, byTask: rows })}\n`
    : formatReplay(sentence, all.all, rows);
}

/** @throws CliError for an invalid rule */
function triedBy({ allow, deny, permissionMode: mode }: ReplayFlags): HypotheticalPermissions {
  try {
    const rules = { ...(allow !== undefined && { allow }), ...(deny !== undefined && { deny }) };
    return hypotheticalPermissions({ ...rules, ...(mode !== undefined && { mode }) }, "the flags");
  } catch (error) {
    throw error instanceof ToolError ? new CliError(error.message, { cause: error }) : error;
  }
}

/** The options of a run by which calls are judged. A tool that the settings exclude is known as well. */
async function judgingOptions(loaded: LoadedSettings, io: Pick<Io, "env">): Promise<JudgingOptions> {
  const { commands: sandbox } = selectSandbox(loaded, configFolder(io));
  return {
    tools: builtinTools({ include: OPTIONAL_TOOLS }),
    permissions: { judge: runPermissions(loaded, false).policy },
    modes: await readRunModes(loaded),
    shell: await withSettingsErrors(() => selectShell(loaded)),
    ...(sandbox !== undefined && { sandbox }),
  };
}

/** @throws CliError if the user named the task */
function reportSkipped(taskId: string, problem: string, isNamed: boolean, io: Pick<Io, "stderr">): void {
  const text = `the journal of task ${taskId} is damaged: ${problem}`;
  if (isNamed) throw new CliError(`${text}. Fork it before that line, and replay the fork.`);
  io.stderr.write(`[CLI] Warning: ${text}. It was skipped.\n`);
}
