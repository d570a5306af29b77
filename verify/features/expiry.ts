import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { Feature } from "./feature.ts";

/** A policy answers the open ask after a deadline. */
export const expiry: Feature = {
  name: "expiry",
  events: ({ view: { context }, at }) => {
    if (context.ask === undefined) return [];
    const expiry = { type: "ask.expired", at, askId: context.ask.id, rule: "deadline" } as const;
    return [
      { ...expiry, answer: { kind: "no" } },
      { ...expiry, answer: { kind: "yes" } },
      { ...expiry, answer: { kind: "text", text: "words" } },
    ] satisfies readonly TaskEvent[];
  },
};
