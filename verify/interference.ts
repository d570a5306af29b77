import type { TaskEvent } from "../machines/task/task.events.ts";
import type { Controlled } from "../machines/tool-call/control.ts";
import type { PathEvent } from "./graph.ts";
import { isSame, type Step, type View } from "./laws/law.ts";

/** The law of the rationales of monitors, which an exploration checks: it is about two macrosteps. */
export const NON_INTERFERENCE = {
  law: "NI",
  title:
    "two runs that differ only in what a monitor says have the same states, conversation, requests and order of events",
} as const;

/** The same event with other rationales. Undefined for an event without any. */
export function withOtherRationales(event: PathEvent): TaskEvent | undefined {
  if (event.type === "process.crashed" || !("control" in event) || event.control === undefined)
    return undefined;
  const control: Controlled = {
    ...event.control,
    records: event.control.records.map(({ rationales: _, ...record }) => ({
      ...record,
      rationales: { another: "another rationale, which is longer" },
    })),
  };
  return { ...event, control };
}

/** The first difference between two macrosteps from one state, whose events differ only in rationales. */
export function interferenceOf(one: Step, other: Step): string | undefined {
  if (one.after.state !== other.after.state)
    return `what a monitor says decides between ${one.after.state} and ${other.after.state}`;
  const [emitted, others] = [one, other].map((step) =>
    step.emitted.filter(({ type }) => type !== "control.judged"),
  );
  if (!isSame(emitted, others)) return "what a monitor says changes a message, a record or an effect";
  const names = Object.keys(one.after.context) as (keyof View["context"])[];
  const changed = names
    .filter((name) => !SKIPPED.includes(name))
    .find((name) => !isSame(one.after.context[name], other.after.context[name]));
  return changed && `what a monitor says changes ${changed}`;
}

/** The event itself, and what changes only by emitted events (L2). */
const SKIPPED: readonly (keyof View["context"])[] = ["cause", "log", "conversation", "reportTo"];
