import { applyConversationEvent } from "../../machines/conversation/index.ts";
import { applyLogEvent, detectAgentState, type Log, StateTracker } from "../../machines/message/index.ts";
import type { TaskEmitted } from "../../machines/task/index.ts";
import { changesOf } from "./changes.ts";
import { firstOf, type Law, type Step } from "./law.ts";

const isEntry = (piece: TaskEmitted) => piece.type === "entry.appended" || piece.type === "entry.extended";

/** Rows that nothing touched are the same objects in both; the others are compared by what they say. */
function differs(one: Log, other: Log): number | undefined {
  if (one.length !== other.length) return Math.min(one.length, other.length);
  for (let index = 0; index < one.length; index += 1) {
    const [a, b] = [one.at(index), other.at(index)];
    if (a !== b && JSON.stringify(a) !== JSON.stringify(b)) return index;
  }
  return undefined;
}

function logIsFolded(step: Step): string | undefined {
  const { log } = step.after.context;
  const folded = changesOf(step).reduce(
    (sofar, { event }) => applyLogEvent(sofar, event),
    step.before.context.log,
  );
  const at = differs(folded, log);
  if (at === undefined) return undefined;
  return `row ${at}: the events give ${JSON.stringify(folded.at(at))}, the log has ${JSON.stringify(log.at(at))}`;
}

function conversationIsFolded({ before, after, emitted }: Step): string | undefined {
  const folded = emitted.filter(isEntry).reduce(applyConversationEvent, before.context.conversation);
  if (folded === after.context.conversation) return undefined;
  return JSON.stringify(folded) === JSON.stringify(after.context.conversation)
    ? undefined
    : "the conversation is not what its events give";
}

function queueIsTold({ before, after, emitted }: Step): string | undefined {
  if (before.context.queue === after.context.queue) return undefined;
  const told = emitted.findLast((piece) => piece.type === "queue.changed");
  return JSON.stringify(told?.queue) === JSON.stringify(after.context.queue)
    ? undefined
    : "the queue changed and the last event of it says otherwise";
}

function trackerAgrees(step: Step): string | undefined {
  const changes = changesOf(step);
  if (changes.length === 0) return undefined;
  const tracker = new StateTracker(step.before.context.log);
  for (const { event } of changes) {
    const { state, requiredAction } = tracker.apply(event);
    const batch = detectAgentState(tracker.log);
    if (state !== batch.state || requiredAction !== batch.requiredAction)
      return `after ${event.type} the tracker says ${state}, the log means ${batch.state}`;
  }
  return undefined;
}

/** L2: folding what was emitted over what was before gives what is after, and the tracker agrees. */
export const replica: Law = {
  id: "L2",
  title: "folding the emitted events gives the log, the conversation and the queue",
  violation: firstOf(logIsFolded, conversationIsFolded, queueIsTold, trackerAgrees),
};
