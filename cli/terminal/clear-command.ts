import { assertAtRest } from "./at-rest.ts";
import { assertStarted } from "./saved-tasks.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";

/** `/clear`: continues with a new task. */
export const clearCommand: SlashCommand = {
  usage: "/clear",
  about: "start a new task; /resume goes back to this one",
  run: clear,
};

export const newCommand: SlashCommand = { ...clearCommand, usage: "/new", about: "the same as /clear" };

async function clear(context: SlashContext): Promise<void> {
  const { root, say, history, changeTo } = context;
  assertStarted(context);
  assertAtRest(context, "start another one");
  await root.flushed();
  say(history === undefined ? "A new task." : `A new task. To go back: /resume ${root.id}`);
  changeTo({ id: undefined });
}
