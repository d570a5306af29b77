import { assertEvent } from "xstate";
import type { Change } from "./change.ts";
import type { TaskContext } from "./task.context.ts";
import type { Compaction } from "./task.events.ts";

/** The condensation that the next request begins with, whatever the length of the conversation. */
export const requestedCompaction = ({ compaction }: TaskContext) =>
  compaction?.state === "requested" ? compaction : undefined;

/** The user asks for a condensation: it is part of the next request. */
export function requestCompaction(change: Change): void {
  const { event } = change;
  assertEvent(event, "compact.requested");
  change.set({ compaction: { state: "requested", by: "user", instructions: event.instructions } });
}

/** The window is full: the next request condenses the conversation first. */
export function requireCompaction(change: Change): void {
  const instructions = requestedCompaction(change.context)?.instructions ?? "";
  change.set({ compaction: { state: "requested", by: "window", instructions } });
}

/** A response, or a person who has the request sent again, allows the next condensation of a full window. */
export function allowCompaction(change: Change): void {
  if (change.context.compaction?.state === "applied") change.set({ compaction: null });
}

/** A condensation of a full window is remembered until there is a response: the endpoint may reject this request too. */
export function endCompaction(change: Change): void {
  const requested = requestedCompaction(change.context);
  const applied: Compaction = { state: "applied" };
  if (requested !== undefined) change.set({ compaction: requested.by === "window" ? applied : null });
}
