import { assertEvent } from "xstate";
import type { Change } from "./change.ts";
import type { TaskContext } from "./task.context.ts";

/** Whether the next request condenses the conversation whatever its length. */
export const isCompacting = ({ compaction }: TaskContext): boolean => compaction?.done === false;

/** The user asks for a condensation: it is part of the next request. */
export function requestCompaction(change: Change): void {
  const { event } = change;
  assertEvent(event, "compact.requested");
  change.set({ compaction: { by: "user", instructions: event.instructions, done: false } });
}

/** The window is full: the next request condenses the conversation first. */
export function requireCompaction(change: Change): void {
  const instructions = change.context.compaction?.instructions ?? "";
  change.set({ compaction: { by: "window", instructions, done: false } });
}

/** A response, or the user's decision about a failed request, allows the next condensation of a full window. */
export function allowCompaction(change: Change): void {
  if (change.context.compaction?.done === true) change.set({ compaction: null });
}

/** A condensation of a full window is remembered until there is a response: the endpoint may reject this request too. */
export function endCompaction(change: Change): void {
  const { compaction } = change.context;
  if (compaction !== null)
    change.set({ compaction: compaction.by === "window" ? { ...compaction, done: true } : null });
}
