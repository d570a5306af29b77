import type { ClineMessage } from "../../machines/message/index.ts";
import type { QueuedMessage } from "../../machines/task/index.ts";
import { appendedIn } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

/** Whether the row says these words, with their images. */
const says = ({ text, images = [] }: ClineMessage, waited: QueuedMessage): boolean =>
  text === waited.text &&
  images.length === waited.images.length &&
  images.every((image, at) => image === waited.images[at]);

function leavesBySayingOnly(step: Step): string | undefined {
  const { before, event, after } = step;
  if (before.context.queue === after.context.queue) return undefined;
  const said = appendedIn(step).filter(({ say }) => say === "user_feedback");
  for (const waited of before.context.queue) {
    const { id } = waited;
    if (after.context.queue.some((item) => item.id === id)) continue;
    if (event.type === "queue.removed" && event.id === id) continue;
    const at = said.findIndex((row) => says(row, waited));
    if (at < 0) return `${id} left the queue and was never said`;
    said.splice(0, at + 1);
  }
  return undefined;
}

function changesNoRow({ before, event, after }: Step): string | undefined {
  if (!event.type.startsWith("queue.")) return undefined;
  return before.context.log === after.context.log && before.context.ask === after.context.ask
    ? undefined
    : `${event.type} changed a row or an ask`;
}

/** Words in the queue answer no ask, and leave it only as a row, in their order, or because they were removed. */
export const queue: Law = {
  id: "QUEUE",
  title: "what leaves the queue is said in the same macrostep, and the queue answers no ask",
  violation: firstViolation(leavesBySayingOnly, changesNoRow),
};
