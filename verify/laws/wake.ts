import type { WakeUp } from "../../machines/task/task.events.ts";
import { appendedMessages, isChangedBy } from "./changes.ts";
import { firstViolation, isSame, type Law, type Step, type View } from "./law.ts";

/** The states that a due wake-up continues. After mistakes and at a limit a person decides. */
const WAKES: ReadonlySet<string> = new Set([
  "idle.completing",
  "idle.delivering",
  "idle.completed",
  "idle.declined",
  "idle.reopened",
  "idle.failed",
  "resumable",
]);

const mayWake = ({ state, context: { pause, control } }: View): boolean =>
  WAKES.has(state) && pause === null && control?.shutDown === undefined;

/** The wake-ups that are due at the event, if it continues the task. */
function dueIn({ before, event }: Step): readonly WakeUp[] {
  if (event.type !== "wake.due" || !mayWake(before)) return [];
  return before.context.wakeUps.filter(({ at }) => at <= event.at);
}

/** Each due wake-up continues a task at rest, with its message, and nothing else does. */
function continues(step: Step): string | undefined {
  const { before, event } = step;
  const due = dueIn(step);
  const expected = due.map(({ message }) => message);
  const said = appendedMessages(step).flatMap(({ say, text }) => (say === "wake_up" ? [text] : []));
  if (!isSame(said, expected))
    return `expected the messages of ${due.length} wake-ups in ${before.state}, got ${said.length}`;
  if (event.type !== "wake.due" || isChangedBy(step) === due.length > 0) return undefined;
  return `a wake-up ${due.length > 0 ? "changed nothing" : "was not due and continued the task"} in ${before.state}`;
}

/** A due time is over in the macrostep of its message: it is gone, or one interval or more later. */
function endsWithItsMessage(step: Step): string | undefined {
  const { event, after } = step;
  for (const { id, everyMs } of dueIn(step)) {
    const next = after.context.wakeUps.find((wakeUp) => wakeUp.id === id);
    if ((next === undefined) !== (everyMs === undefined))
      return `the wake-up ${id} is not as it was scheduled`;
    if (next !== undefined && next.at <= event.at) return `the wake-up ${id} is due again at once`;
  }
  return undefined;
}

/** A wake-up decides about no call. */
const decidesNothing = ({ event, emitted }: Step): string | undefined =>
  event.type === "wake.due" && emitted.some(({ type }) => type === "decision.made")
    ? "a wake-up approved a call"
    : undefined;

const isOfCall = ({ emitted }: Step): boolean =>
  emitted.some((each) => each.type === "call.changed" && each.call.phase === "settled");

/** No other wake-up changes but by a person or a call. */
function keepsOthers(step: Step): string | undefined {
  const { before, event, after } = step;
  if (before.context.wakeUps === after.context.wakeUps || event.type === "wake.cleared" || isOfCall(step))
    return undefined;
  const due = new Set(dueIn(step).map(({ id }) => id));
  const lost = before.context.wakeUps.find(
    (wakeUp) => !due.has(wakeUp.id) && !after.context.wakeUps.some((left) => isSame(left, wakeUp)),
  );
  return lost === undefined ? undefined : `${event.type} changed the wake-up ${lost.id} in ${before.state}`;
}

/** WAKE: each due time continues the task once, at rest, in the commit that ends it. */
export const wake: Law = {
  id: "WAKE",
  title: "each due time continues the task at rest once, with its message, and approves nothing",
  violation: firstViolation(continues, endsWithItsMessage, decidesNothing, keepsOthers),
};
