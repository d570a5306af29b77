import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { CallIn, Objection, StartJudgement, ValidReview } from "../../machines/tool-call/call.ts";
import type { Approver, Observations } from "../observations.ts";
import type { Feature, Moment } from "./feature.ts";
import { invalidReview } from "./reviews.ts";

/** Policies over time judge each call that is about to start. */
export const policies: Feature = {
  name: "policies",
  parts: {
    policies: ({ view: { context, observed } }) => (context.policies ? policiesOf(context, observed) : 0),
  },
  events: (moment) =>
    moment.view.context.turn.calls.flatMap((call) =>
      call.phase === "judging" ? judgementEvents(call, moment) : [],
    ),
};

const objectionOf = (by: Approver): Objection => ({
  rule: `explored: one start by a ${by}`,
  reason: "there was one",
  because: "there was one",
});

/**
 * The judgements of a call. The explored policies permit one start by a person and one by a rule; their monitor knows
 * what had happened when the review was started. One is about other arguments, one judges nothing.
 */
function judgementEvents(
  { callId, review }: CallIn<"judging">,
  { view: { context, observed }, bounds, at }: Moment,
): TaskEvent[] {
  const { revision } = context.permissions;
  const { person, policy } = observed.judged?.starts ?? observed.starts;
  const start: StartJudgement = {
    facts: { effect: review.effect },
    ...(policy && { policy: objectionOf("policy") }),
    ...(person && { person: objectionOf("person") }),
  };
  const current = { ...review, revision };
  const judged: ValidReview = { ...current, start };
  const reviews = [
    judged,
    current,
    { ...judged, digest: "of other arguments" },
    ...(bounds.permits && revision > 0 ? [{ ...judged, revision: revision - 1 }] : []),
  ];
  return [
    ...reviews.map((each): TaskEvent => ({ type: "call.reviewed", at, callId, review: each })),
    invalidReview(callId, at),
  ];
}

/** The facts that the judgement of the next start depends on, and who approved a call. */
const policiesOf = ({ turn }: TaskContext, { starts }: Observations) => [
  starts.person,
  starts.policy,
  turn.calls.map((call) => call.phase === "approved" && "person" in call.decision.by),
];
