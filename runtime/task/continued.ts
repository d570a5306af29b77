import { dottedPath } from "../../machines/message/states.ts";
import { isPassivatable } from "../../machines/task/passivation.ts";
import type { RecordedState } from "../../machines/task/task.context.ts";
import { HostError } from "./errors.ts";
import type { TaskSnapshot } from "./task-view.ts";

/**
 * Assert that a fork can continue from a snapshot of its original: nothing worked there but the open ask.
 * @throws HostError `TASK_BUSY`
 */
export function assertContinuable(moment: TaskSnapshot): void {
  const { background, backgroundSubtasks } = moment.context;
  if (isPassivatable(moment) && background.length === 0 && backgroundSubtasks.length === 0) return;
  const work = backgroundWork(moment.context) ?? dottedPath(moment.value);
  throw new HostError(
    "TASK_BUSY",
    `Expected a moment at which the task waited for an answer or was at rest, with nothing under way: got ${work}. ` +
      "Choose another record, or fork without its open ask.",
  );
}

function backgroundWork({ background, backgroundSubtasks }: TaskSnapshot["context"]): string | undefined {
  if (background.length > 0) return "a command ran in the background";
  return backgroundSubtasks.length > 0 ? "a subtask worked in the background" : undefined;
}

/**
 * Assert that a snapshot has the messages and the conversation of a journal.
 * @throws HostError `OPTION_INVALID`
 */
export function assertMomentOf(past: RecordedState, { context }: TaskSnapshot): void {
  const [recorded, given] = [past, context].map(({ log, conversation }) => [
    log.length,
    log.at(-1)?.ts,
    conversation.length,
  ]);
  if (String(recorded) === String(given)) return;
  throw new HostError(
    "OPTION_INVALID",
    `Expected the snapshot after the newest record of the fork, with ${past.log.length} messages: got one with ` +
      `${context.log.length}. Fork the task at the record of the snapshot.`,
  );
}
