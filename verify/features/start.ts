import type { Feature } from "./feature.ts";

/** The user starts the task. */
export const start: Feature = {
  name: "start",
  events: ({ at }) => [{ type: "task.start", at, text: "go to @a", images: [] }],
};
