import { assertEvent } from "xstate";
import { addFeedback, closeAnsweredAsk, postFeedback, receivedFeedback } from "./asks.ts";
import type { Change } from "./change.ts";
import { BrokenInvariantError } from "./errors.ts";
import type { TaskContext } from "./task.context.ts";
import type { QueuedMessage } from "./task.events.ts";

function setQueue(change: Change, queue: readonly QueuedMessage[]): void {
  change.set({ queue });
  change.emit({ type: "queue.changed", queue });
}

export function addToQueue(change: Change): void {
  const { event } = change;
  assertEvent(event, "queue.added");
  setQueue(change, [...change.context.queue, event.item]);
}

export function editQueue(change: Change): void {
  const { event } = change;
  assertEvent(event, "queue.edited");
  const { id, text, images } = event;
  setQueue(
    change,
    change.context.queue.map((item) =>
      item.id === id ? { ...item, text, images: images ?? item.images } : item,
    ),
  );
}

export function removeFromQueue(change: Change): void {
  const { event } = change;
  assertEvent(event, "queue.removed");
  setQueue(
    change,
    change.context.queue.filter(({ id }) => id !== event.id),
  );
}

/** Whether a queued message waits for the end of the task, to continue it on its own. */
export const deliversOne = ({ queueDelivery, queue }: TaskContext): boolean =>
  queueDelivery === "one" && queue.length > 0;

/** Id of the timer. */
export const deliveryTimerId = ({ ask }: TaskContext): string => `queue:${ask?.id}`;

/** Starts the delivery of the next queued message: once the completion before it is durable. */
export function startDeliveryTimer(change: Change): void {
  change.start("timer", "timer", { timerId: deliveryTimerId(change.context), deadline: change.event.at });
}

/** Removes the oldest message from the queue. */
export function takeNext(change: Change): QueuedMessage {
  const [next, ...rest] = change.context.queue;
  if (next === undefined) throw new BrokenInvariantError("a message is delivered from an empty queue");
  setQueue(change, rest);
  return next;
}

/** Continues a completed task with the oldest queued message. */
export function deliverNext(change: Change): void {
  addFeedback(change, takeNext(change));
}

/** Appends each queued message to the log and adds it to the next request, unless each gets a turn of its own. */
export function drainQueue(change: Change): void {
  if (change.context.queue.length === 0 || change.context.queueDelivery === "one") return;
  for (const item of change.context.queue) addFeedback(change, item);
  setQueue(change, []);
}

/** Appends each queued message to the log and returns them. */
export function takeQueue(change: Change): readonly QueuedMessage[] {
  const { queue } = change.context;
  for (const item of queue) postFeedback(change, item);
  setQueue(change, []);
  return queue;
}

/** Closes a declined ask. Feedback is queued, or, if the queue is full, added to the next request. */
export function declineAsk(change: Change): void {
  const feedback = receivedFeedback(change);
  closeAnsweredAsk(change);
  if (feedback === undefined) return;
  const { queue, limits } = change.context;
  if (queue.length >= limits.queued) addFeedback(change, feedback);
  else setQueue(change, [...queue, { id: `declined-${change.event.at}`, ...feedback }]);
}

export const queueHas = ({ queue }: TaskContext, id: string): boolean => queue.some((item) => item.id === id);
