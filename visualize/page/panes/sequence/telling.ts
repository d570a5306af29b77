import { JOURNAL, TASK, type TraceEvent } from "../../../../trace/index.ts";
import { laneOf } from "./lanes.ts";
import type { Step } from "./steps.ts";

/** The lanes between which an event goes. What nobody sends goes from the task to itself. */
export interface Way {
  readonly from: string;
  readonly to: string;
}

/** An event goes from its sender to the task; the end of an effect goes to the journal, where its runner writes it. */
export const wayOf = ({ record, from }: TraceEvent, names: ReadonlyMap<string, string>): Way => ({
  from: laneOf(from, names),
  to: record.kind === "effect.end" ? JOURNAL : TASK,
});

/** What happened, in a word. */
export function nameOf({ record }: TraceEvent): string {
  switch (record.kind) {
    case "header":
      return "the journal begins";
    case "effect.end":
      return record.content === "uncertain" ? "effect.end (uncertain)" : "effect.end";
    case "commit":
      return record.cause?.type ?? "(no cause)";
  }
}

/** The state that the task came to, where it is another one than before. */
export function arrivalOf({ record }: TraceEvent): string | undefined {
  return record.kind === "commit" && record.before !== record.after ? record.after : undefined;
}

/** A line in a sentence, for whoever doesn't see the picture, and as the title of its line. */
export function sentenceOf({ first, last, event }: Step): string {
  const { record, from, because, durable } = event;
  const count = last - first + 1;
  const parts = [
    count === 1
      ? `Event ${last}: ${nameOf(event)}`
      : `Events ${first} to ${last}: ${count} times ${nameOf(event)}`,
    from === TASK ? "" : `from ${from}`,
    because === undefined ? "" : `which event ${because} started`,
  ];
  const sentences = [parts.filter((part) => part !== "").join(", ")];
  const arrival = arrivalOf(event);
  if (arrival !== undefined) sentences.push(`The task comes to ${arrival}`);
  if (record.kind === "commit") {
    const started = record.effects.filter(({ type }) => type === "effect.started").map(({ id }) => id);
    const stopped = record.effects.filter(({ type }) => type === "effect.stopped").map(({ id }) => id);
    if (started.length > 0) sentences.push(`Started: ${started.join(", ")}`);
    if (stopped.length > 0) sentences.push(`Stopped: ${stopped.join(", ")}`);
  }
  if (durable === false) sentences.push("It is not durable: the journal can't be written");
  return `${sentences.join(". ")}.`;
}
