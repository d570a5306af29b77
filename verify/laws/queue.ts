import type { ClineMessage } from "../../machines/message/message.ts";
import type { QueuedMessage, TaskEvent } from "../../machines/task/task.events.ts";
import { appendedMessages } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

/** Whether the message has the text and the images of the queued message. */
const isMessageOf = ({ text, images = [] }: ClineMessage, queued: QueuedMessage): boolean =>
  text === queued.text &&
  images.length === queued.images.length &&
  images.every((image, at) => image === queued.images[at]);

function leavesAsMessage(step: Step): string | undefined {
  const { before, event, after } = step;
  const queue = endsWait(step) ? [...before.context.queue, step.event.item] : before.context.queue;
  if (queue === after.context.queue) return undefined;
  const feedback = appendedMessages(step).filter(({ say }) => say === "user_feedback");
  for (const queued of queue) {
    const { id } = queued;
    if (after.context.queue.some((item) => item.id === id)) continue;
    if (event.type === "queue.removed" && event.id === id) continue;
    const at = feedback.findIndex((message) => isMessageOf(message, queued));
    if (at < 0) return `${id} left the queue without a message`;
    feedback.splice(0, at + 1);
  }
  return undefined;
}

type WaitEnd = Pick<Step, "before" | "after"> & {
  readonly event: Extract<TaskEvent, { type: "queue.added" }>;
};

/** Whether a message of the user ends the wait for subtasks in the background: it goes with the request after it. */
function endsWait(step: Pick<Step, "before" | "after" | "event">): step is WaitEnd {
  const { before, event, after } = step;
  return event.type === "queue.added" && before.state === "running.delegated" && after.state !== before.state;
}

/** With `queueDelivery: "one"` a message leaves only after a completion, and only the oldest one. */
function leavesAlone({ before, event, after }: Step): string | undefined {
  const { queue, queueDelivery } = before.context;
  if (queueDelivery !== "one" || event.type === "queue.removed") return undefined;
  const left = queue.filter(({ id }) => !after.context.queue.some((item) => item.id === id));
  if (left.length === 0) return undefined;
  if (before.state !== "idle.delivering") return `a queued message was delivered in ${before.state}`;
  return left.length === 1 && left[0] === queue[0]
    ? undefined
    : `expected the delivery of ${queue[0]?.id}, got ${left.map(({ id }) => id).join(", ")}`;
}

function changesNoMessage({ before, event, after }: Step): string | undefined {
  if (!event.type.startsWith("queue.") || endsWait({ before, event, after })) return undefined;
  return before.context.log === after.context.log && before.context.ask === after.context.ask
    ? undefined
    : `${event.type} changed a message or an ask`;
}

/** A queued message leaves the queue in order, as a message of the log, or because it was removed. */
export const queue: Law = {
  id: "QUEUE",
  title: "a message that leaves the queue is appended in the same macrostep, and the queue answers no ask",
  violation: firstViolation(leavesAsMessage, leavesAlone, changesNoMessage),
};
