import { applyConversationEvent, type Conversation } from "../../machines/conversation/index.ts";
import { detectAgentState, type Log, StateTracker } from "../../machines/message/index.ts";
import type { TaskEmitted } from "../../machines/task/index.ts";
import { changesOf } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

const isEntry = (piece: TaskEmitted) => piece.type === "entry.appended" || piece.type === "entry.extended";

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/**
 * Where the fold of the events and the log have different rows. Only rows that are others than before, or that an
 * event names, can differ: all else is, in both, the row that was there before.
 */
function differs({ after }: Step, folded: Log, touched: readonly number[]): number | undefined {
  const { log } = after.context;
  if (folded.length !== log.length) return Math.min(folded.length, log.length);
  const { changed } = after.logFacts;
  const isWrong = (at: number): boolean => !isSame(folded.at(at), log.at(at));
  return changed.find(isWrong) ?? touched.find((at) => !changed.includes(at) && isWrong(at));
}

function logIsFolded(step: Step): string | undefined {
  const { log } = step.after.context;
  const changes = changesOf(step);
  const folded = changes.at(-1)?.after ?? step.before.context.log;
  if (folded === log) return undefined;
  const touched = changes.flatMap((change) => change.touched);
  const at = differs(step, folded, touched);
  if (at === undefined) return undefined;
  return `row ${at}: the events give ${JSON.stringify(folded.at(at))}, the log has ${JSON.stringify(log.at(at))}`;
}

/** Entries that nothing touched are the same objects in both; the others are compared by what they say. */
function isSameTalk(one: Conversation, other: Conversation): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1)
    if (!isSame(one.at(index), other.at(index))) return false;
  return true;
}

function conversationIsFolded({ before, after, emitted }: Step): string | undefined {
  let folded = before.context.conversation;
  for (const piece of emitted) if (isEntry(piece)) folded = applyConversationEvent(folded, piece);
  return folded === after.context.conversation || isSameTalk(folded, after.context.conversation)
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

/**
 * The tracker of the log that was looked at last. Where one macrostep follows the other it lives as long as its
 * task, as a client's tracker does; else it is begun anew with the whole log.
 */
let followed: { readonly log: Log; readonly tracker: StateTracker } | undefined;

function trackerOf(log: Log): StateTracker {
  const tracker = followed?.log === log ? followed.tracker : new StateTracker(log);
  followed = undefined;
  return tracker;
}

function trackerAgrees(step: Step): string | undefined {
  const changes = changesOf(step);
  if (changes.length === 0) return undefined;
  const tracker = trackerOf(step.before.context.log);
  for (const { event, after } of changes) {
    const { state, requiredAction } = tracker.apply(event);
    const isEnd = after === changes.at(-1)?.after;
    const batch = isEnd ? step.after.logFacts.means : detectAgentState(after);
    if (state !== batch.state || requiredAction !== batch.requiredAction)
      return `after ${event.type} the tracker says ${state}, the log means ${batch.state}`;
  }
  followed = { log: step.after.context.log, tracker };
  return undefined;
}

/** L2: folding what was emitted over what was before gives what is after, and the tracker agrees. */
export const replica: Law = {
  id: "L2",
  title: "folding the emitted events gives the log, the conversation and the queue",
  violation: firstViolation(logIsFolded, conversationIsFolded, queueIsTold, trackerAgrees),
};
