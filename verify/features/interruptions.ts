import type { TaskEvent } from "../../machines/task/task.events.ts";
import { counted, isWithin } from "../bounds.ts";
import type { Feature, Moment } from "./feature.ts";

/** The user cancels the task, or its journal fails. */
export const interruptions: Feature = {
  name: "interruptions",
  parts: {
    "interruptions spent": ({ spent, bounds }) => counted(spent.interruptions, bounds.interruptions),
  },
  events: (moment) =>
    isWithin(moment.spent.interruptions, moment.bounds.interruptions) ? interruptionEvents(moment) : [],
};

function interruptionEvents({ view: { context }, at }: Moment): TaskEvent[] {
  const failed = { type: "journal.failed", at, message: "the disk is full" } as const;
  return [
    { type: "task.cancel", at, origin: "user" },
    failed,
    ...(context.ask?.ask === "completion_result" ? [{ ...failed, unwritten: "completion" } as const] : []),
  ];
}
