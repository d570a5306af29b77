import type { Ask, LimitAsk, QuestionAsk } from "../../runtime/task/ask.ts";
import { answeredWhereShown, cancelledBy } from "../../runtime/task/run.ts";
import type { Task } from "../../runtime/task/task.ts";
import type { TaskEnd } from "../../runtime/task/task-end.ts";
import { assertApplied, refusalIn } from "../refusal.ts";
import type { PromptInput } from "./prompt-input.ts";

/**
 * Send a prompt to the task, and resolve when it settles. It answers an open question of the task or of a subtask; it
 * continues a task at rest, also beyond a limit; otherwise it starts the task.
 *
 * @param signal cancels the task
 * @throws HostError as `Task.run`
 * @throws RefusalError if the task does not take the prompt: it is then in no message and in no queue
 */
export async function continueTask(
  task: Task,
  { text, images }: PromptInput,
  signal: AbortSignal,
): Promise<TaskEnd> {
  // The ask of a task that has just settled opens when that is durable.
  await task.flushed();
  const asks = task.treeAsks.map(({ ask }) => ask);
  const question = asks.find(isQuestion);
  const limit = task.asks.find(isLimit);
  if (question === undefined && limit === undefined)
    return task.run(text, { images, signal, onAsk: answeredWhereShown });
  return cancelledBy(
    signal,
    () => task.cancelFor("signal"),
    () => {
      const end = task.settled();
      // A refused prompt does not wait for it.
      end.catch(() => undefined);
      if (question !== undefined) assertApplied(question.answer(text, images));
      else if (limit !== undefined) proceedWith(task, limit, { text, images });
      return end;
    },
  );
}

/** The ask takes no text: the text goes with the next request. */
function proceedWith(task: Task, limit: LimitAsk, { text, images }: PromptInput): void {
  const queued = task.queue(text, images);
  assertApplied(queued);
  const refusal = refusalIn(limit.approve());
  if (refusal === undefined) return;
  if (queued.ok) task.unqueue(queued.id);
  throw refusal;
}

const isQuestion = (ask: Ask): ask is QuestionAsk => ask.kind === "question";
const isLimit = (ask: Ask): ask is LimitAsk => ask.kind === "limit";
