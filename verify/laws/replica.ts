import { applyConversationEvent, type Conversation } from "../../machines/conversation/conversation.ts";
import { detectAgentState } from "../../machines/message/detect.ts";
import type { Log } from "../../machines/message/log.ts";
import { StateTracker } from "../../machines/message/tracker.ts";
import type { TaskEmitted } from "../../machines/task/task.events.ts";
import { CALL_TABLE } from "../../machines/tool-call/call.table.ts";
import type { Phase } from "../../machines/tool-call/call.ts";
import { MONITORED_LAWS } from "../monitor/monitored-laws.ts";
import { logChanges } from "./changes.ts";
import { firstViolation, isSame, type Law, type Step } from "./law.ts";

const isEntryEvent = (event: TaskEmitted) =>
  event.type === "entry.appended" || event.type === "entry.extended" || event.type === "entries.replaced";

/** First position where the folded events and the log differ. Only changed or named messages can differ. */
function firstDifference({ after }: Step, folded: Log, touched: readonly number[]): number | undefined {
  const { log } = after.context;
  if (folded.length !== log.length) return Math.min(folded.length, log.length);
  const { changed } = after.logFacts;
  const isDifferent = (at: number): boolean => !isSame(folded.at(at), log.at(at));
  return changed.find(isDifferent) ?? touched.find((at) => !changed.includes(at) && isDifferent(at));
}

function logIsFolded(step: Step): string | undefined {
  const { log } = step.after.context;
  const changes = logChanges(step);
  const folded = changes.at(-1)?.after ?? step.before.context.log;
  if (folded === log) return undefined;
  const touched = changes.flatMap((change) => change.touched);
  const at = firstDifference(step, folded, touched);
  if (at === undefined) return undefined;
  return `message ${at}: the folded events have ${JSON.stringify(folded.at(at))}, the log has ${JSON.stringify(log.at(at))}`;
}

/** Compare by identity first: unchanged entries are the same objects. */
function isSameConversation(one: Conversation, other: Conversation): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1)
    if (!isSame(one.at(index), other.at(index))) return false;
  return true;
}

function conversationIsFolded({ before, after, emitted }: Step): string | undefined {
  let folded = before.context.conversation;
  for (const event of emitted) if (isEntryEvent(event)) folded = applyConversationEvent(folded, event);
  return folded === after.context.conversation || isSameConversation(folded, after.context.conversation)
    ? undefined
    : "the conversation differs from the folded events";
}

function queueIsEmitted({ before, after, emitted }: Step): string | undefined {
  if (before.context.queue === after.context.queue) return undefined;
  const last = emitted.findLast((event) => event.type === "queue.changed");
  return JSON.stringify(last?.queue) === JSON.stringify(after.context.queue)
    ? undefined
    : "the queue differs from its last event";
}

/**
 * Tracker of the last checked log. Along a path it is reused, as a client would; otherwise a new one reads the
 * whole log.
 */
let lastTracked: { readonly log: Log; readonly tracker: StateTracker } | undefined;

function trackerOf(log: Log): StateTracker {
  const tracker = lastTracked?.log === log ? lastTracked.tracker : new StateTracker(log);
  lastTracked = undefined;
  return tracker;
}

function trackerAgrees(step: Step): string | undefined {
  const changes = logChanges(step);
  if (changes.length === 0) return undefined;
  const tracker = trackerOf(step.before.context.log);
  for (const { event, after } of changes) {
    const { state, requiredAction } = tracker.apply(event);
    const isLast = after === changes.at(-1)?.after;
    const derived = isLast ? step.after.logFacts.derived : detectAgentState(after);
    if (state !== derived.state || requiredAction !== derived.requiredAction)
      return `after ${event.type} the tracker has ${state}, the log derives ${derived.state}`;
  }
  lastTracked = { log: step.after.context.log, tracker };
  return undefined;
}

type Targets = Partial<Record<string, Phase | readonly Phase[]>>;

/** Each call is in the phase that the transitions of its table led to. A reopened task has its calls from the journal. */
function phasesAreMoved({ before, after, emitted, reopened }: Step): string | undefined {
  const { calls } = after.context.turn;
  if (reopened !== undefined || calls === before.context.turn.calls) return undefined;
  const phases = new Map<string, Phase>(
    before.context.turn.calls.map(({ callId, phase }) => [callId, phase]),
  );
  for (const event of emitted) {
    if (event.type !== "call.moved") continue;
    const { callId, by, from, to } = event;
    const targets: Targets = CALL_TABLE[from];
    const isTransition = (phases.get(callId) ?? "planned") === from && [targets[by]].flat().includes(to);
    if (!isTransition)
      return `${callId}, ${phases.get(callId) ?? "new"}, moved from ${from} to ${to} by ${by}`;
    phases.set(callId, to);
  }
  const beside = calls.find(({ callId, phase }) => phase !== (phases.get(callId) ?? "planned"));
  return beside && `${beside.callId} is ${beside.phase}, and no transition of its table led there`;
}

/** L2: the emitted events, folded over the view before, give the view after; the tracker agrees. */
export const replica: Law = {
  id: "L2",
  title: MONITORED_LAWS.L2.title,
  violation: firstViolation(logIsFolded, conversationIsFolded, queueIsEmitted, phasesAreMoved, trackerAgrees),
};
