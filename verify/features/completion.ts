import type { Feature } from "./feature.ts";

/** The user changes what completes the task. */
export const completion: Feature = {
  name: "completion",
  parts: { completion: ({ view: { context } }) => context.completion },
  events: ({ view: { context }, bounds, at }) =>
    bounds.selects
      ? [
          {
            type: "completion.selected",
            at,
            completion: context.completion === "tool" ? "end_turn" : "tool",
          },
        ]
      : [],
};
