import { toolError } from "../conversation/index.ts";
import type { CallIn, Review, StartJudgement, ValidReview, Verdict } from "../tool-call/index.ts";
import { settleAsDenied, settleWithText } from "./calls.ts";
import type { Change } from "./change.ts";
import { isStale, reviewAgain, startReview } from "./permissions.ts";
import { moveCall } from "./turn.ts";

/**
 * Judges the call by what happened until now (law ONE). Nothing runs beside it and no other review is awaited, so nothing
 * that a policy may be about happens between the judgement and what it permits.
 */
export function judgeCall(change: Change, call: CallIn<"decided" | "approved">): void {
  startReview(change, moveCall(change, call, { type: "judging.started" }));
}

/** Applies the judgement: the call is asked about or starts in this macrostep, or is denied. */
export function applyJudgement(change: Change, call: CallIn<"judging">, review: Review): void {
  if (!review.valid) settleWithText(change, call, "failed", toolError(review.error), errorOf(review.error));
  else if (isStale(change.context, call) || review.revision !== call.review.revision)
    reviewAgain(change, call);
  else if (review.digest !== call.review.digest || review.start === undefined) {
    const error = `${call.name}: policies over time did not judge these arguments. Send the call again.`;
    settleWithText(change, call, "failed", toolError(error), errorOf(error));
  } else judge(change, call, review, review.start);
}

const errorOf = (text: string) => ({ say: "error", text }) as const;

function judge(
  change: Change,
  call: CallIn<"judging">,
  { start: _, ...review }: ValidReview,
  judged: StartJudgement,
): void {
  const { verdict } = call.review;
  const objection = judged[approverOf(call)];
  const pass = (passed: Verdict): void => {
    moveCall(change, call, { type: "judging.passed", review: { ...review, verdict: passed }, judged });
  };
  if (objection === undefined) pass(verdict);
  else if (call.approval === undefined && judged.person === undefined)
    pass({ kind: "ask", because: objection.because });
  else settleAsDenied(change, call, { kind: "deny", ...(judged.person ?? objection) });
}

/** Who permits the call: the one that approved it, or the one that it needs. */
function approverOf({ approval, review }: CallIn<"judging">): "person" | "policy" {
  if (approval !== undefined) return "person" in approval.decision.by ? "person" : "policy";
  return review.verdict.kind === "ask" ? "person" : "policy";
}
