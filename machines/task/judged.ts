import { isQuestion } from "../judge/opinion.ts";
import type { CallIdentity, CallIn } from "../tool-call/call.ts";
import { BrokenInvariantError } from "./errors.ts";
import type { TaskContext } from "./task.context.ts";

/** Whether policies over time judge the call. A question and a completion never start: without them no task could end. */
export const isJudged = ({ policies }: TaskContext, { ask }: CallIdentity): boolean =>
  policies && !isQuestion(ask);

/** Whether policies over time must judge the call before it is asked about or starts (law ONE). */
export const needsJudgement = (context: TaskContext, call: CallIn<"decided" | "approved">): boolean =>
  isJudged(context, call) && call.judged === undefined;

/** Asserts that a call was judged in the macrostep that starts it, by whichever way it gets there (law ONE). */
export function assertJudged(context: TaskContext, call: CallIn<"approved">): void {
  if (needsJudgement(context, call))
    throw new BrokenInvariantError(`${call.callId} starts, and policies over time did not judge it`);
}
