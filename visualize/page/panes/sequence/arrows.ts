import type { TraceEvent } from "../../../trace/trace-event.ts";
import { participantOf } from "./participants.ts";
import type { Step } from "./steps.ts";

/** The participants of an event. An event without a sender goes from the task to itself. */
export interface ArrowEnds {
  readonly from: string;
  readonly to: string;
}

/** An event goes from its sender to the task; the end of an effect goes to the journal. */
export const arrowEnds = (
  { record, from }: TraceEvent,
  toolNames: ReadonlyMap<string, string>,
): ArrowEnds => ({
  from: participantOf(from, toolNames),
  to: record.kind === "effect.end" ? "journal" : "task",
});

/** The label of an event. */
export function eventLabel({ record }: TraceEvent): string {
  switch (record.kind) {
    case "header":
      return "journal created";
    case "version":
      return `format version ${record.version}`;
    case "effect.end":
      return record.content === "uncertain" ? "effect.end (uncertain)" : "effect.end";
    case "commit":
      return record.cause?.type ?? "(no cause)";
  }
}

/** The state that the task entered, if it changed. */
export function enteredState({ record }: TraceEvent): string | undefined {
  return record.kind === "commit" && record.before !== record.after ? record.after : undefined;
}

/** Format a step as text, for screen readers and as a tooltip. */
export function formatStep({ first, last, event }: Step): string {
  const { record, from, because, durable } = event;
  const count = last - first + 1;
  const events =
    count === 1
      ? `Event ${last}: ${eventLabel(event)}`
      : `Events ${first} to ${last}: ${count} times ${eventLabel(event)}`;
  const starter = because === undefined ? "" : ` (started by event ${because})`;
  const sentences = [from === "task" ? events : `${events}, from ${from}${starter}`];
  const state = enteredState(event);
  if (state !== undefined) sentences.push(`Entered ${state}`);
  if (record.kind === "commit") {
    const started = record.effects.filter(({ type }) => type === "effect.started").map(({ id }) => id);
    const stopped = record.effects.filter(({ type }) => type === "effect.stopped").map(({ id }) => id);
    if (started.length > 0) sentences.push(`Started: ${started.join(", ")}`);
    if (stopped.length > 0) sentences.push(`Stopped: ${stopped.join(", ")}`);
  }
  if (durable === false) sentences.push("Not durable: the journal can't be written");
  return `${sentences.join(". ")}.`;
}
