import { assertEvent } from "xstate";
import type { Change } from "./change.ts";
import type { QueuedMessage, TaskContext } from "./task.types.ts";
import { hear, postFeedback } from "./words.ts";

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

/** What waits in the queue is said now, one row each, and goes with the next request. */
export function drainQueue(change: Change): void {
  if (change.context.queue.length === 0) return;
  for (const item of change.context.queue) hear(change, item);
  setQueue(change, []);
}

/** What waits in the queue is shown now and given to whoever asked for it. */
export function takeQueue(change: Change): readonly QueuedMessage[] {
  const { queue } = change.context;
  for (const item of queue) postFeedback(change, item);
  setQueue(change, []);
  return queue;
}

export const queueHas = ({ queue }: TaskContext, id: string): boolean => queue.some((item) => item.id === id);
