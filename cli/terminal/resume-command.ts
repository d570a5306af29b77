import { printable } from "../../client/printable/printable.ts";
import type { TaskHistory } from "../../runtime/task-history/task-history.ts";
import type { TaskSummary } from "../../store/task-history/summary.ts";
import { CliError } from "../error.ts";
import { formatOrigin, formatTime, shortenIds } from "../show/format.ts";
import { withCliErrors } from "../store-error.ts";
import { assertAtRest } from "./at-rest.ts";
import { savedTasks } from "./saved-tasks.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";

/** Tasks that are listed. */
const LISTED_MAX = 10;
/** `/resume`: continues another task of the workspace. */
export const resumeCommand: SlashCommand = {
  usage: "/resume [ID]",
  about: "list recent tasks of this workspace and continue one, or continue this one",
  run: resume,
  candidates: async ({ history, root }) =>
    history === undefined ? [] : (await recentTasks(history, root.workspace, root.id)).map(({ id }) => id),
};

async function resume(context: SlashContext, argument: string): Promise<void> {
  const { say, changeTo, root } = context;
  const history = savedTasks(context);
  assertAtRest(context, "leave it");
  const id =
    argument === "" ? await choose(context, history) : await withCliErrors(() => history.find(argument));
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

/** Let the user choose from a list. Undefined where there is none, or nothing was chosen. */
async function choose(context: SlashContext, history: TaskHistory): Promise<string | undefined> {
  const { say, ask, root } = context;
  const tasks = await recentTasks(history, root.workspace, root.id);
  if (tasks.length === 0) {
    say("There is no other task of this workspace.");
    return undefined;
  }
  const short = shortenIds(await withCliErrors(() => history.ids()));
  for (const [index, task] of tasks.entries())
    say(`${String(index + 1).padStart(2)}. ${formatTask(task, short)}`);
  const answer = (await ask("Continue which one? A number, or Enter for none: ")).trim();
  if (answer === "") return undefined;
  const chosen = /^\d{1,2}$/.test(answer) ? tasks[Number(answer) - 1] : undefined;
  if (chosen !== undefined) return chosen.id;
  throw new CliError(
    `Expected a number from 1 to ${tasks.length}, received '${printable(answer)}'. To name another: /resume ID`,
  );
}

/** The newest tasks of a workspace that can be continued. */
async function recentTasks(
  history: TaskHistory,
  workspace: string,
  except: string,
): Promise<readonly TaskSummary[]> {
  const all = await withCliErrors(() => history.list({ workspace }));
  return all
    .filter(
      ({ id, parentId, problem }) =>
        id !== except && parentId === undefined && problem?.kind !== "unreadable",
    )
    .slice(0, LISTED_MAX);
}

function formatTask(task: TaskSummary, short: (id: string) => string): string {
  const { id, updatedAt, title, isCompleted, heldBy } = task;
  const line = `${printable(title).replaceAll("\n", " ")}${formatOrigin(task, short)}`;
  const state = heldBy !== undefined ? "  (open in another process)" : isCompleted ? "  (completed)" : "";
  return `${short(id)}  ${formatTime(updatedAt)}  ${line}${state}`;
}
