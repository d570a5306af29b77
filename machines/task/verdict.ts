import { combine, isQuestion, type Opinion, opinionOf, PLAN } from "../judge/opinion.ts";
import type { CallIdentity, CallIn, StartJudgement, ValidReview, Verdict } from "../tool-call/call.ts";
import type { TaskContext } from "./task.context.ts";
import { dueCall } from "./turn.ts";

/** The state of a task, the call and the review that its judges read. A recorded call has them as well. */
export interface Judged {
  readonly context: Pick<TaskContext, "permissions" | "intent">;
  readonly call: Pick<CallIn<"deciding">, "ask" | "name" | "hooked" | "asked"> &
    (Pick<CallIn<"deciding" | "amending">, "phase"> | CallIn<"judging">);
  readonly review: Pick<ValidReview, "verdict" | "effect"> &
    Partial<Pick<ValidReview, "digest" | "needsApproval" | "intent" | "start">>;
}

/** A judge whose state only a running task has. */
type TaskJudge = (judged: Judged) => Opinion | undefined;

/** Policies over time say nothing before a call is about to start. */
const overTime: TaskJudge = ({ call, review: { start } }) =>
  call.phase === "judging" && start !== undefined ? opinionAtStart(call, start) : undefined;

/** The judges that the task itself has, in the order in which their opinions are named as the reason. */
const TASK_JUDGES = {
  scope: ({ context, review }) => intentDenial(context, review),
  person: ({ call }) => (isQuestion(call.ask) ? QUESTION : undefined),
  policy: ({ review }) => opinionOf(review.verdict),
  plan: ({ context: { permissions }, call, review: { effect } }) =>
    permissions.mode === "plan" && !isQuestion(call.ask) && effect !== "reads" && effect !== "none"
      ? PLAN
      : undefined,
  bypass: ({ context: { permissions, intent }, review }) =>
    permissions.mode === "bypass" && (intent === null || review.intent?.kind !== "unscoped")
      ? BYPASS
      : undefined,
  approval: ({ call: { name }, review: { needsApproval } }) =>
    needsApproval ? condition(`the tool ${name} needs approval`) : undefined,
  hooks: ({ call: { hooked }, review }) =>
    hooked?.asks !== undefined && hooked.digest === review.digest ? condition(hooked.asks) : undefined,
  withdrawn: ({ call: { asked } }) => (asked ? ASKED_BEFORE : undefined),
  overTime,
} as const satisfies Readonly<Record<string, TaskJudge>>;

/** The names of the judges of the task. The guide has a line for each. */
export type TaskJudgeName = keyof typeof TASK_JUDGES;

/** The verdict on a call that was reviewed: no call starts by another one. */
export const verdictOn = (
  context: Judged["context"],
  call: Exclude<Judged["call"], CallIn<"judging">>,
  review: Judged["review"],
): Verdict =>
  combine(Object.values(TASK_JUDGES).flatMap((judge) => judge({ context, call, review }) ?? [])).verdict;

/** The verdict on a call that is about to be asked about or to start, by what happened until now (law ONE). */
export function verdictAtStart(context: TaskContext, call: CallIn<"judging">, review: ValidReview): Verdict {
  const { verdict } = call.review;
  const objection = overTime({ context, call, review });
  return objection === undefined ? verdict : combine([opinionOf(verdict), objection]).verdict;
}

const condition = (because: string): Opinion => ({
  level: "condition",
  verdict: { kind: "ask", because },
  because,
});

const QUESTION: Opinion = { level: "question", verdict: { kind: "ask" }, because: "a person answers" };
const ASKED_BEFORE = condition("a person was asked before what is permitted changed");
const BYPASS: Opinion = {
  level: "substitute",
  because: "mode bypass asks nobody",
  instead: (because) => ({ verdict: { kind: "allow", rule: "mode bypass" }, because }),
};

/** A person may permit what only a rule may not, unless the call was approved before. */
function opinionAtStart(call: CallIn<"judging">, start: StartJudgement): Opinion | undefined {
  const objection = start[approverOf(call)];
  if (objection === undefined) return undefined;
  if (call.approval === undefined && start.person === undefined) return condition(objection.because);
  return opinionOf({ kind: "deny", ...(start.person ?? objection) });
}

/** Who permits the call: the one that approved it, or the one that it needs. */
function approverOf({ approval, review }: CallIn<"judging">): "person" | "policy" {
  if (approval !== undefined) return "person" in approval.decision.by ? "person" : "policy";
  return review.verdict.kind === "ask" ? "person" : "policy";
}

/** Whether the intent denies the call, and an earlier call of the response has not settled: it may select another one. */
export const mayBeLifted = (context: TaskContext, { callId }: CallIdentity, review: ValidReview): boolean =>
  intentDenial(context, review) !== undefined && dueCall(context)?.callId !== callId;

/** The effects that no intent restricts. */
export const HARMLESS: readonly ValidReview["effect"][] = ["reads", "none", "asks"];

function intentDenial(
  { intent }: Judged["context"],
  { effect, intent: finding }: Judged["review"],
): Opinion | undefined {
  if (intent === null) return undefined;
  if (finding?.kind === "refused")
    return opinionOf({ kind: "deny", rule: finding.rule, reason: finding.reason });
  if (HARMLESS.includes(effect)) return undefined;
  if (intent.stage === "required") return deny("no intent is selected. Select one first.");
  if (finding?.id === intent.id) return undefined;
  return deny(`the call was not judged by the intent ${intent.id}. Send it again.`);
}

const deny = (reason: string): Opinion => opinionOf({ kind: "deny", rule: "intents", reason });
