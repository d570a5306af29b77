import type { ClineMessage } from "../../machines/message/index.ts";
import { appendedIn } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

const RESUME = new Set(["resume_task", "resume_completed_task"]);
const isOpenAsk = (row: ClineMessage | undefined): boolean =>
  row?.type === "ask" && row.closing === undefined && row.partial !== true;

/** Where a task comes to rest that was opened with this log: a completed one stays completed. */
function restOf(last: ClineMessage | undefined): { state: string; ask: string } {
  const wasCompleted = last?.ask === "completion_result" || last?.ask === "resume_completed_task";
  return wasCompleted
    ? { state: "idle.reopened", ask: "resume_completed_task" }
    : { state: "resumable", ask: "resume_task" };
}

function restsOnOneAsk({ before, after }: Step): string | undefined {
  const { state, ask } = restOf(before.context.log.at(-1));
  const last = after.context.log.at(-1);
  if (after.state !== state) return `a task with this log was opened into ${after.state}, not ${state}`;
  if (last?.ask !== ask || !isOpenAsk(last))
    return `the last row is ${last?.ask ?? last?.say}, not the open ask ${ask}`;
  const { openAsks, partial } = after.logFacts;
  const open = openAsks.filter((position) => !partial.includes(position));
  if (open.length !== 1) return `${open.length} asks are open after the task was opened`;
  return after.context.ask?.id === last.ts ? undefined : "the open ask isn't the one that the task rests on";
}

function nobodyElseWorks({ after, emitted }: Step): string | undefined {
  const others = [...after.activeActors].filter((id) => id !== `ask:${after.context.log.at(-1)?.ts}`);
  if (others.length > 0) return `${others.join()} works after the task was opened`;
  const odd = emitted.find(({ type }) => type === "decision.made" || type.startsWith("entry."));
  return odd === undefined ? undefined : `the opening made a ${odd.type}`;
}

/** A command was left in the background, or a call comes to count as uncertain only now. */
function learnsOfUncertain({ before, reopened, after }: Step): boolean {
  const wasSettled = (id: string) =>
    reopened?.calls.some(({ callId, phase }) => callId === id && phase === "settled");
  return (
    before.context.background.length > 0 ||
    after.context.turn.calls.some(
      (call) => call.phase === "settled" && call.outcome.kind === "uncertain" && !wasSettled(call.callId),
    )
  );
}

/**
 * One that was already asking whether to go on asks it still, with the same row, unless there is something uncertain
 * to tell first (L12); else one row more asks it.
 */
function asksOnce(step: Step): string | undefined {
  const last = step.before.context.log.at(-1);
  const rows = appendedIn(step);
  const asks = rows.filter(({ type }) => type === "ask");
  const wasAsking = last !== undefined && isOpenAsk(last) && RESUME.has(last.ask ?? "");
  if (wasAsking && step.before.context.log === step.after.context.log) return undefined;
  if (wasAsking && !learnsOfUncertain(step)) return "a task that was asking to go on was asked again";
  return asks.length === 1 ? undefined : `${asks.length} asks were appended by the opening`;
}

/** Nothing streams any more: no row is partial, no request open. */
function allIsClosed({ after }: Step): string | undefined {
  const { partial, openRequests } = after.logFacts;
  const row = partial[0] === undefined ? undefined : after.context.log.at(partial[0]);
  if (row !== undefined) return `${row.ask ?? row.say} is partial after the task was opened`;
  return openRequests.length === 0 ? undefined : "a request is open after the task was opened";
}

/** What was said and not yet sent is not lost. */
function nothingIsForgotten({ before, after }: Step): string | undefined {
  const [was, is] = [before.context, after.context];
  if (was.queue !== is.queue) return "the queue changed as the task was opened";
  if (was.conversation !== is.conversation) return "the conversation changed as the task was opened";
  return was.pending.every((block, index) => is.pending[index] === block)
    ? undefined
    : "words that wait for the next request were lost";
}

/** An endpoint that asked to be left alone is left alone, also by a task that was opened again in between. */
function waitsOn({ before, event, emitted }: Step): string | undefined {
  const sent = emitted.some((piece) => piece.type === "effect.started" && piece.effect === "context");
  const isEarly = before.context.retryAt > event.at && before.state === "resumable";
  return sent && isEarly ? `a request was opened before ${before.context.retryAt}` : undefined;
}

const opened = firstViolation(restsOnOneAsk, nobodyElseWorks, asksOnce, allIsClosed, nothingIsForgotten);

/**
 * L11: whatever is remembered at the end of a process, opening the task gives one that rests on exactly one open
 * ask. That its log obeys L1-L6 and L8 is held by those laws, which look at this macrostep like at any other.
 */
export const recovery: Law = {
  id: "L11",
  title: "a task that is opened again rests on one open ask, with all else closed and nothing forgotten",
  violation: (step) => (step.reopened === undefined ? waitsOn(step) : opened(step)),
};
