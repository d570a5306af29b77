import type { CallAfter, CallTaking, ToolCallEventOf, ToolCallEventType } from "./call.table.ts";
import type {
  Approval,
  Arguments,
  CallIdentity,
  CallIn,
  Feedback,
  Outcome,
  RecordedCall,
  StartFacts,
  ToolCall,
  Verdict,
} from "./call.ts";
import { type Approved, withFeedback } from "./feedback.ts";

/** The step of a call for each event: the fields of its next phase. */
export const CALL_STEPS: {
  readonly [T in ToolCallEventType]: (call: CallTaking<T>, event: ToolCallEventOf<T>) => CallAfter<T>;
} = {
  completed: (call, { input }) => ({ ...identityOf(call), phase: "deciding", preview: call.preview, input }),

  reviewed: (call, { review }) => ({
    ...identityOf(call),
    phase: "decided",
    ...argumentsOf(call),
    review,
  }),

  "amendment.reviewed": (call, { review }) => ({ ...call, phase: "approved", review }),

  // A complete message does not belong to the next decision. An amendment stays.
  "permissions.changed": (call) => {
    const { row, ...identity } = identityOf(call);
    const isPartial = call.phase === "deciding" || call.phase === "decided";
    return {
      ...identity,
      ...(isPartial && row !== undefined && { row }),
      phase: "deciding",
      preview: call.phase === "deciding" ? call.preview : call.review.text,
      ...argumentsOf(call),
      ...(call.phase === "asking" && { asked: true }),
      ...digestIn(call),
    };
  },

  "hooks.started": (call) => ({ ...unapproved(call), phase: "hooking" }),

  // A person who approved these very arguments is not asked again.
  "hooks.passed": ({ approval, ...call }, { hooked }) =>
    approval === undefined
      ? {
          ...call,
          phase: "decided",
          hooked,
          review: { ...call.review, ...askedBy(hooked.asks, call.review.verdict) },
        }
      : { ...call, phase: "approved", hooked, ...approval },

  "hooks.amended": ({ review, approval: _, ...call }, { input, amendedBy, trusted }) => ({
    ...identityOf(call),
    ...(trusted !== undefined && { ...trusted, author: "trusted" }),
    ...(call.asked !== undefined && { asked: call.asked }),
    phase: "deciding",
    preview: review.text,
    digest: review.digest,
    input,
    hooked: { digest: review.digest, amendedBy },
  }),

  "judging.started": (call) => ({ ...unapproved(call), phase: "judging" }),

  "judging.passed": ({ approval, ...call }, { review, judged }) =>
    approval === undefined
      ? { ...call, phase: "decided", review, judged }
      : { ...call, phase: "approved", judged, ...approval },

  asked: (call, { row }) => ({
    ...identityOf(call),
    phase: "asking",
    row,
    ...argumentsOf(call),
    review: call.review,
  }),

  approved: (call, { row, decision, feedback }) => ({
    ...identityOf(call),
    phase: "approved",
    row,
    ...answeredArgumentsOf(call),
    review: call.review,
    decision,
    ...(feedback !== undefined && { feedback }),
    ...(call.phase === "decided" && call.judged !== undefined && { judged: call.judged }),
  }),

  amended: (call, { amendment, decision, feedback }) => ({
    ...identityOf(call),
    phase: "amending",
    row: call.row,
    ...answeredArgumentsOf(call),
    amendment,
    review: call.review,
    decision,
    ...(feedback !== undefined && { feedback }),
  }),

  postponed: ({ judged: _, ...call }) => call,

  // It uses the decision and the judgement, once.
  started: ({ judged, ...call }) => ({ ...call, phase: "running", ...factsIn(judged) }),

  delegated: (call, { childId, grant, isolation }) => ({
    ...identityOf(call),
    phase: "delegated",
    input: call.input,
    childId,
    ...(grant !== undefined && { grant }),
    ...(isolation !== undefined && { isolation }),
    ...feedbackIn(call),
    ...factsIn(call.judged),
  }),

  left: (call, { because }) => ({ ...call, rests: because }),

  continued: ({ rests: _, ...call }) => call,

  stopped: (call) => ({
    ...identityOf(call),
    phase: "stopped",
    replayable: call.review.replayable,
    ...feedbackIn(call),
  }),

  ended: (call, { outcome: { writes, ...outcome }, unseen, notice }) => ({
    ...identityOf(call),
    phase: "ended",
    outcome,
    unseen,
    ...(writes !== undefined && { writes }),
    ...(notice !== undefined && { notice }),
    ...feedbackIn(call),
  }),

  settled: (call, event) => settledCall(call, event),
};

/** A call that has its result: with the feedback that came with its approval. */
export const settledCall = (
  call: CallIdentity & Approved,
  { outcome, notice }: Omit<ToolCallEventOf<"settled">, "type">,
): CallIn<"settled"> => ({
  ...identityOf(call),
  phase: "settled",
  outcome: withFeedback(call, outcome),
  ...(notice !== undefined && { notice }),
});

const argumentsOf = ({ asked, ...call }: Arguments): Arguments => ({
  ...answeredArgumentsOf(call),
  ...(asked !== undefined && { asked }),
});

/** An answer was given: the call no longer needs one. */
const answeredArgumentsOf = ({ input, amendment, hooked }: Arguments): Omit<Arguments, "asked"> => ({
  input,
  ...(amendment !== undefined && { amendment }),
  ...(hooked !== undefined && { hooked }),
});

/** A call that was denied is counted as new. */
const digestIn = (call: CallTaking<"permissions.changed">) => {
  if (call.phase === "decided" && call.review.verdict.kind === "deny") return {};
  const digest = call.phase === "deciding" ? call.digest : call.review.digest;
  return digest === undefined ? {} : { digest };
};

/** A reviewed call while hooks or policies over time decide about it. They keep its approval. */
const unapproved = (call: CallIn<"decided" | "approved">) => ({
  ...identityOf(call),
  ...argumentsOf(call),
  review: call.review,
  ...(call.phase === "approved" && { approval: approvalOf(call) }),
});

const approvalOf = ({ row, decision, feedback }: CallIn<"approved">): Approval => ({
  row,
  decision,
  ...(feedback !== undefined && { feedback }),
});

/** The ask of a hook, with the reason of a rule that asks as well. */
function askedBy(hook: string | undefined, verdict: Verdict): { readonly verdict?: Verdict } {
  if (hook === undefined) return {};
  const rule = verdict.kind === "ask" ? verdict.because : undefined;
  const both = `${hook.replace(/\.$/, "")}; also, ${rule}`;
  return { verdict: { kind: "ask", because: rule === undefined ? hook : both } };
}

/** The part of a call that recovery needs; `undefined` in a phase before any effect. */
export function toRecordedCall(call: ToolCall): RecordedCall | undefined {
  const identity = identityOf(call);
  switch (call.phase) {
    case "asking":
      return { ...identity, phase: "asking" };
    case "running":
      return {
        ...identity,
        phase: "running",
        replayable: call.review.replayable,
        ...feedbackIn(call),
        ...factsIn(call),
      };
    case "stopped":
      return { ...identity, phase: "stopped", replayable: call.replayable, ...feedbackIn(call) };
    case "delegated":
      return {
        ...identity,
        phase: "delegated",
        input: call.input,
        childId: call.childId,
        ...(call.grant !== undefined && { grant: call.grant }),
        ...(call.isolation !== undefined && { isolation: call.isolation }),
        ...feedbackIn(call),
        ...factsIn(call),
      };
    case "ended":
      return {
        ...identity,
        phase: "ended",
        outcome: { ...call.unseen, ...writesIn(call) },
        ...feedbackIn(call),
      };
    case "settled":
      return { ...identity, phase: "settled", outcome: call.outcome };
    default:
      return undefined;
  }
}

/** The fields that a call keeps in every phase. */
export const identityOf = ({ callId, toolUseId, name, ask, row, author }: CallIdentity): CallIdentity => ({
  callId,
  toolUseId,
  name,
  ask,
  ...(row !== undefined && { row }),
  ...(author !== undefined && { author }),
});

const writesIn = ({ writes }: Pick<Outcome, "writes">) => (writes === undefined ? {} : { writes });

const factsIn = (judged: { readonly facts?: StartFacts } | undefined): { readonly facts?: StartFacts } =>
  judged?.facts === undefined ? {} : { facts: judged.facts };

const feedbackIn = ({ feedback }: { readonly feedback?: Feedback }) =>
  feedback === undefined ? {} : { feedback };
