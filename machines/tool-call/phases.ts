import type {
  Amendment,
  Approval,
  Arguments,
  CallIdentity,
  CallIn,
  Decision,
  Feedback,
  Hooked,
  Input,
  Notice,
  Outcome,
  RecordedCall,
  ToolCall,
  ValidReview,
} from "./call.ts";
import type { Grant } from "./grant.ts";

/** planned -> deciding: the arguments are complete and under review. */
export const toDeciding = (call: CallIn<"planned">, input: Input): CallIn<"deciding"> => ({
  ...identityOf(call),
  phase: "deciding",
  preview: call.preview,
  input,
});

/** A call under review, or reviewed, that has not started. */
type Reviewable = CallIn<"deciding" | "decided" | "asking" | "amending" | "approved">;

/**
 * deciding | decided | asking | amending | approved -> deciding: the permissions changed. A message that is complete is
 * not that of the next decision. An amendment stays.
 */
export const toDecidingAgain = (call: Reviewable): CallIn<"deciding"> => {
  const { row, ...identity } = identityOf(call);
  const isPartial = call.phase === "deciding" || call.phase === "decided";
  return {
    ...identity,
    ...(isPartial && row !== undefined && { row }),
    phase: "deciding",
    preview: call.phase === "deciding" ? call.preview : call.review.text,
    ...argumentsOf(call),
    ...digestIn(call),
  };
};

const argumentsOf = ({ input, amendment, hooked }: Arguments): Arguments => ({
  input,
  ...(amendment !== undefined && { amendment }),
  ...(hooked !== undefined && { hooked }),
});

/** A call that was denied is counted as new. */
const digestIn = (call: Reviewable) => {
  if (call.phase === "decided" && call.review.verdict.kind === "deny") return {};
  const digest = call.phase === "deciding" ? call.digest : call.review.digest;
  return digest === undefined ? {} : { digest };
};

/** deciding -> decided: the call waits for its turn. */
export const toDecided = (call: CallIn<"deciding">, review: ValidReview): ToolCall => ({
  ...identityOf(call),
  phase: "decided",
  ...argumentsOf(call),
  review,
});

/** decided | approved -> hooking: hooks decide about the final arguments. */
export const toHooking = (call: CallIn<"decided" | "approved">): CallIn<"hooking"> => ({
  ...identityOf(call),
  phase: "hooking",
  ...argumentsOf(call),
  review: call.review,
  ...(call.phase === "approved" && { approval: approvalOf(call) }),
});

const approvalOf = ({ row, decision, feedback }: CallIn<"approved">): Approval => ({
  row,
  decision,
  ...(feedback !== undefined && { feedback }),
});

/** hooking -> decided | approved: no hook denied it. */
export const toHooked = (
  { approval, ...call }: CallIn<"hooking">,
  hooked: Hooked,
): CallIn<"decided"> | CallIn<"approved"> =>
  approval === undefined
    ? { ...call, phase: "decided", hooked }
    : { ...call, phase: "approved", hooked, ...approval };

/** hooking -> deciding: a hook replaced the arguments, which are judged like those of the model. */
export const toRewritten = (
  { review, approval: _, ...call }: CallIn<"hooking">,
  input: Input,
  amendedBy: string,
): CallIn<"deciding"> => ({
  ...identityOf(call),
  phase: "deciding",
  preview: review.text,
  digest: review.digest,
  input,
  hooked: { digest: review.digest, amendedBy },
});

/** decided -> asking: a person is asked by the message `row`. */
export const toAsking = (call: CallIn<"decided">, row: number): ToolCall => ({
  ...identityOf(call),
  phase: "asking",
  row,
  ...argumentsOf(call),
  review: call.review,
});

/** asking -> amending: a person approved it with an amendment, and the decision is bound to the amended arguments (L7). */
export const toAmending = (
  call: CallIn<"asking">,
  amendment: Amendment,
  decision: Decision,
  feedback?: Feedback,
): CallIn<"amending"> => ({
  ...identityOf(call),
  phase: "amending",
  row: call.row,
  ...argumentsOf(call),
  amendment,
  review: call.review,
  decision,
  ...(feedback !== undefined && { feedback }),
});

/** amending -> approved: what is permitted permits the amended call, too. */
export const toAmended = (call: CallIn<"amending">, review: ValidReview): CallIn<"approved"> => ({
  ...call,
  phase: "approved",
  review,
});

/** decided | asking -> approved: the call gets its decision (L7). */
export const toApproved = (
  call: CallIn<"decided" | "asking"> & { readonly row: number },
  decision: Decision,
  feedback?: Feedback,
): CallIn<"approved"> => ({
  ...identityOf(call),
  phase: "approved",
  row: call.row,
  ...argumentsOf(call),
  review: call.review,
  decision,
  ...(feedback !== undefined && { feedback }),
});

/** approved -> running: uses the decision, once. */
export const toRunning = (call: CallIn<"approved">): CallIn<"running"> => ({ ...call, phase: "running" });

/** running -> stopped: the result is known when the next request is prepared. */
export const toStopped = (call: CallIn<"running">): ToolCall => ({
  ...identityOf(call),
  phase: "stopped",
  replayable: call.review.replayable,
  ...feedbackIn(call),
});

/** approved -> delegated: uses the decision, once. */
export const toDelegated = (
  call: CallIn<"approved">,
  childId: string,
  grant: Grant | undefined,
): CallIn<"delegated"> => ({
  ...identityOf(call),
  phase: "delegated",
  input: call.input,
  childId,
  ...(grant !== undefined && { grant }),
  ...feedbackIn(call),
});

/** running -> ended: hooks see its result. */
export const toEnded = (
  call: CallIn<"running">,
  { writes, ...outcome }: Outcome,
  unseen: Outcome,
  notice?: Notice,
): CallIn<"ended"> => ({
  ...identityOf(call),
  phase: "ended",
  outcome,
  unseen,
  ...(writes !== undefined && { writes }),
  ...(notice !== undefined && { notice }),
});

/** any -> settled. */
export const toSettled = (call: CallIdentity, outcome: Outcome, notice?: Notice): ToolCall => ({
  ...identityOf(call),
  phase: "settled",
  outcome,
  ...(notice !== undefined && { notice }),
});

/** The part of a call that recovery needs; `undefined` in a phase before any effect. */
export function toRecordedCall(call: ToolCall): RecordedCall | undefined {
  const identity = identityOf(call);
  switch (call.phase) {
    case "asking":
      return { ...identity, phase: "asking" };
    case "running":
      return { ...identity, phase: "running", replayable: call.review.replayable, ...feedbackIn(call) };
    case "stopped":
      return { ...identity, phase: "stopped", replayable: call.replayable, ...feedbackIn(call) };
    case "delegated":
      return {
        ...identity,
        phase: "delegated",
        input: call.input,
        childId: call.childId,
        ...(call.grant !== undefined && { grant: call.grant }),
        ...feedbackIn(call),
      };
    case "ended":
      return { ...identity, phase: "settled", outcome: { ...call.unseen, ...writesIn(call) } };
    case "settled":
      return { ...identity, phase: "settled", outcome: call.outcome };
    default:
      return undefined;
  }
}

/** The fields that a call keeps in every phase. */
export const identityOf = ({ callId, toolUseId, name, ask, row }: CallIdentity): CallIdentity => ({
  callId,
  toolUseId,
  name,
  ask,
  ...(row !== undefined && { row }),
});

const writesIn = ({ writes }: Pick<Outcome, "writes">) => (writes === undefined ? {} : { writes });

const feedbackIn = ({ feedback }: { readonly feedback?: Feedback }) =>
  feedback === undefined ? {} : { feedback };
