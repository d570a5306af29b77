import { withCliErrors } from "../store-error.ts";
import { assertAtRest } from "./at-rest.ts";
import { assertStarted, savedTasks } from "./saved-tasks.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";

/** `/fork`: continues in a copy of the task. */
export const forkCommand: SlashCommand = {
  usage: "/fork",
  about: "continue in a copy of the task; /resume goes back to this one",
  run: fork,
};

async function fork(context: SlashContext): Promise<void> {
  const { root, say, changeTo } = context;
  const history = savedTasks(context);
  assertStarted(context);
  assertAtRest(context, "fork it");
  await root.flushed();
  const { id, forkedFrom } = await withCliErrors(() => history.fork(root.id));
  say(`Forked ${forkedFrom.taskId} at ${forkedFrom.seq} as ${id}. To go back: /resume ${forkedFrom.taskId}`);
  changeTo({ id });
}
