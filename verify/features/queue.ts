import type { TaskEvent } from "../../machines/task/task.events.ts";
import { counted, isWithin } from "../bounds.ts";
import type { Feature } from "./feature.ts";

/** The user adds, edits and removes queued messages. */
export const queue: Feature = {
  name: "queue",
  parts: {
    queue: ({ view: { context } }) => context.queue.length,
    "queue spent": ({ spent, bounds }) => counted(spent.queued, bounds.queued),
  },
  events: ({ view: { context }, spent, bounds, at }) => {
    const events: TaskEvent[] = [];
    if (isWithin(spent.queued, bounds.queued))
      events.push({ type: "queue.added", at, item: { id: `q${spent.queued}`, text: "also", images: [] } });
    const queued = context.queue[0];
    if (queued !== undefined) events.push({ type: "queue.removed", at, id: queued.id });
    if (queued?.text === "also") events.push({ type: "queue.edited", at, id: queued.id, text: "instead" });
    return events;
  },
};
