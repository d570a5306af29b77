import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { Feature } from "./feature.ts";

/** Wake-ups are scheduled, cleared and due, in any state. */
export const wakeUps: Feature = {
  name: "wake-ups",
  parts: {
    "wake-ups": ({ view: { context }, bounds }) =>
      bounds.wakes ? context.wakeUps.map(({ everyMs }) => everyMs !== undefined) : 0,
  },
  events: ({ view: { context }, bounds, at }) => {
    if (!bounds.wakes) return [];
    const { wakeUps } = context;
    const due = Math.max(at, ...wakeUps.map((wakeUp) => wakeUp.at));
    const cleared: readonly TaskEvent[] = wakeUps.length === 0 ? [] : [{ type: "wake.cleared", at }];
    return [
      { type: "wake.scheduled", at, wakeUp: { id: `w${wakeUps.length}`, at, message: "Go on." } },
      ...cleared,
      { type: "wake.due", at: due },
    ];
  },
};
