import type { Feature } from "./feature.ts";

/** A person pauses the task, in any state. */
export const pauses: Feature = {
  name: "pauses",
  parts: { pause: ({ view, bounds }) => (bounds.pausing ? view.context.pause : 0) },
  events: ({ bounds, at }) => (bounds.pausing ? [{ type: "task.pause", at }] : []),
};
