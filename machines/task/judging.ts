import { toolError } from "../conversation/notices.ts";
import type { CallIn, Review, StartJudgement, ValidReview } from "../tool-call/call.ts";
import { settleAsDenied, settleWithText } from "./calls.ts";
import type { Change } from "./change.ts";
import { isStale, reviewAgain, startReview } from "./permissions.ts";
import { moveCall } from "./turn.ts";
import { verdictAtStart } from "./verdict.ts";

/**
 * Judges the call by what happened until now (law ONE). Nothing runs beside it and no other review is awaited, so nothing
 * that a policy may be about happens between the judgement and what it permits.
 */
export function judgeCall(change: Change, call: CallIn<"decided" | "approved">): void {
  startReview(change, moveCall(change, call, { type: "judging.started" }));
}

/** Applies the judgement: the call is asked about or starts in this macrostep, or is denied. */
export function applyJudgement(change: Change, call: CallIn<"judging">, review: Review): void {
  if (!review.valid) settleWithText(change, call, "invalid", toolError(review.error), errorOf(review.error));
  else if (isStale(change.context, call) || review.revision !== call.review.revision)
    reviewAgain(change, call);
  else if (review.digest !== call.review.digest || review.start === undefined) {
    const error = `${call.name}: policies over time did not judge these arguments. Send the call again.`;
    settleWithText(change, call, "invalid", toolError(error), errorOf(error));
  } else judge(change, call, { ...review, start: review.start });
}

const errorOf = (text: string) => ({ say: "error", text }) as const;

function judge(
  change: Change,
  call: CallIn<"judging">,
  { start, ...review }: ValidReview & { readonly start: StartJudgement },
): void {
  const verdict = verdictAtStart(change.context, call, { ...review, start });
  if (verdict.kind === "deny") settleAsDenied(change, call, verdict);
  else moveCall(change, call, { type: "judging.passed", review: { ...review, verdict }, judged: start });
}
