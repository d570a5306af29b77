import { printable } from "../../client/printable/printable.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskSummary } from "../../store/task-history/summary.ts";
import type { TaskHistory } from "../../store/task-history/task-history.ts";
import { CliError } from "../error.ts";
import { formatOrigin, formatTime, shortenIds } from "../show/format.ts";
import { withCliErrors } from "../store-error.ts";
import { assertAtRest } from "./at-rest.ts";
import { choose } from "./choose.ts";
import { savedTasks } from "./saved-tasks.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";

/** Maximum tasks to choose from: on rows that scroll by, or in a menu that is filtered. */
const LISTED_MAX = { rows: 10, menu: 200 };

/** `/resume`: continues another task of the workspace. */
export const resumeCommand: SlashCommand = {
  usage: "/resume [ID]",
  about: "list recent tasks of this workspace and continue one, or continue this one",
  run: resume,
  candidates: async ({ history, root }) =>
    history === undefined ? [] : (await recentTasks(history, root, LISTED_MAX.rows)).map(({ id }) => id),
};

async function resume(context: SlashContext, argument: string): Promise<void> {
  const { say, changeTo, root } = context;
  const history = savedTasks(context);
  assertAtRest(context, "leave it");
  const id =
    argument === "" ? await chooseTask(context, history) : await withCliErrors(() => history.find(argument));
  if (id === undefined) return;
  if (id === root.id) {
    say("This is that task.");
    return;
  }
  assertResumable(await withCliErrors(() => history.summary(id)));
  // The task may have continued in the meantime.
  assertAtRest(context, "leave it");
  say(`Leaving ${root.id}.`);
  changeTo({ id });
}

/** @throws CliError for a task that can't be continued here */
function assertResumable({ id, heldBy, problem, parentId, rootId }: TaskSummary): void {
  if (heldBy !== undefined)
    throw new CliError(
      `Task ${id} is open in the process ${heldBy.pid}: expected one that is not. End that first.`,
    );
  if (problem !== undefined && problem.kind !== "torn")
    throw new CliError(`Task ${id} can't be continued: ${problem.reason}. See signalbox show ${id}.`);
  if (parentId !== undefined)
    throw new CliError(
      `Task ${id} is a subtask, which its root task continues: /resume ${rootId ?? parentId}`,
    );
}

/** Let the user choose a task. Undefined where there is none, or nothing was chosen. */
async function chooseTask(context: SlashContext, history: TaskHistory): Promise<string | undefined> {
  const { say, root, isLive } = context;
  const tasks = await recentTasks(history, root, isLive ? LISTED_MAX.menu : LISTED_MAX.rows);
  if (tasks.length === 0) {
    say("There is no other task of this workspace.");
    return undefined;
  }
  const short = shortenIds(await withCliErrors(() => history.ids()));
  const items = tasks.map((task) => ({ line: short(task.id), row: formatTask(task, short) }));
  const chosen = await choose(context, "Continue which one?", items);
  return chosen && tasks.find(({ id }) => short(id) === chosen.line)?.id;
}

/** The newest other tasks of the workspace that can be continued. */
async function recentTasks(
  history: TaskHistory,
  { id: except, workspace }: Task,
  max: number,
): Promise<readonly TaskSummary[]> {
  const all = await withCliErrors(() => history.list({ workspace }));
  return all
    .filter(
      ({ id, parentId, problem }) =>
        id !== except && parentId === undefined && problem?.kind !== "unreadable",
    )
    .slice(0, max);
}

function formatTask(task: TaskSummary, short: (id: string) => string): string {
  const { id, updatedAt, title, isCompleted, heldBy } = task;
  const line = `${printable(title).replaceAll("\n", " ")}${formatOrigin(task, short)}`;
  const state = heldBy !== undefined ? "  (open in another process)" : isCompleted ? "  (completed)" : "";
  return `${short(id)}  ${formatTime(updatedAt)}  ${line}${state}`;
}
