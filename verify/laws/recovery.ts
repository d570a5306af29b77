import type { ClineMessage } from "../../machines/message/message.ts";
import { appendedMessages } from "./changes.ts";
import { firstViolation, type Law, type Step } from "./law.ts";

const RESUME = new Set(["resume_task", "resume_completed_task"]);
const isOpenAsk = (message: ClineMessage | undefined): boolean =>
  message?.type === "ask" && message.closing === undefined && message.partial !== true;

/** State and ask that a task opened with this log must have; a completed task stays completed. */
function expectedAfterOpening(last: ClineMessage | undefined): { state: string; ask: string } {
  const wasCompleted = last?.ask === "completion_result" || last?.ask === "resume_completed_task";
  return wasCompleted
    ? { state: "idle.reopened", ask: "resume_completed_task" }
    : { state: "resumable", ask: "resume_task" };
}

function settlesOnOneAsk({ before, after }: Step): string | undefined {
  const { state, ask } = expectedAfterOpening(before.context.log.at(-1));
  const last = after.context.log.at(-1);
  if (after.state !== state) return `a task with this log was opened into ${after.state}, not ${state}`;
  if (last?.ask !== ask || !isOpenAsk(last))
    return `the last message is ${last?.ask ?? last?.say}, not the open ask ${ask}`;
  const { openAsks, partial } = after.logFacts;
  const open = openAsks.filter((position) => !partial.includes(position));
  if (open.length !== 1) return `${open.length} asks are open after the task was opened`;
  return after.context.ask?.id === last.ts ? undefined : "the open ask is not the ask of the context";
}

function noOtherActorWorks({ after, emitted }: Step): string | undefined {
  const others = [...after.activeActors].filter((id) => id !== `ask:${after.context.log.at(-1)?.ts}`);
  if (others.length > 0) return `${others.join()} is active after the task was opened`;
  const unexpected = emitted.find(({ type }) => type === "decision.made" || type.startsWith("entry."));
  return unexpected === undefined ? undefined : `the opening emitted ${unexpected.type}`;
}

/** Whether the opening must report a background command, or a call that is now uncertain. */
function hasUncertain({ before, reopened, after }: Step): boolean {
  const wasSettled = (id: string) => reopened?.calls.some((call) => call.callId === id && "outcome" in call);
  return (
    before.context.background.length > 0 ||
    after.context.turn.calls.some(
      (call) => call.phase === "settled" && call.outcome.kind === "uncertain" && !wasSettled(call.callId),
    )
  );
}

/** An open resume ask stays, unless something uncertain is reported before it (L12). Otherwise one is appended. */
function asksOnce(step: Step): string | undefined {
  const last = step.before.context.log.at(-1);
  const messages = appendedMessages(step);
  const asks = messages.filter(({ type }) => type === "ask");
  const wasAsking = last !== undefined && isOpenAsk(last) && RESUME.has(last.ask ?? "");
  if (wasAsking && step.before.context.log === step.after.context.log) return undefined;
  if (wasAsking && !hasUncertain(step)) return "a task with an open resume ask appended another";
  return asks.length === 1 ? undefined : `${asks.length} asks were appended by the opening`;
}

/** No message is partial and no request is open. */
function nothingIsOpen({ after }: Step): string | undefined {
  const { partial, openRequests } = after.logFacts;
  const message = partial[0] === undefined ? undefined : after.context.log.at(partial[0]);
  if (message !== undefined) return `${message.ask ?? message.say} is partial after the task was opened`;
  return openRequests.length === 0 ? undefined : "a request is open after the task was opened";
}

/** Unsent input is kept. */
function unsentIsKept({ before, after }: Step): string | undefined {
  const [was, is] = [before.context, after.context];
  if (was.queue !== is.queue) return "the queue changed as the task was opened";
  if (was.conversation !== is.conversation) return "the conversation changed as the task was opened";
  return was.pending.every((block, index) => is.pending[index] === block)
    ? undefined
    : "text for the next request was lost";
}

/** A retry waits for `retryAt`, also in a reopened task. */
function waitsForRetry({ before, event, emitted }: Step): string | undefined {
  const sent = emitted.some((one) => one.type === "effect.started" && one.effect === "context");
  const isEarly = before.context.retryAt > event.at && before.state === "resumable";
  return sent && isEarly ? `a request was opened before ${before.context.retryAt}` : undefined;
}

const opened = firstViolation(settlesOnOneAsk, noOtherActorWorks, asksOnce, nothingIsOpen, unsentIsKept);

/**
 * L11: whatever was recorded at the end of a process, the reopened task is at rest on exactly one open ask.
 * L1-L6 and L8 are checked for this macrostep as for any other.
 */
export const recovery: Law = {
  id: "L11",
  title: "a reopened task is at rest on one open ask; all else is closed and no text is lost",
  violation: (step) => (step.reopened === undefined ? waitsForRetry(step) : opened(step)),
};
