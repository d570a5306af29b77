import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { CallIn, Effect, ValidReview, Verdict } from "../../machines/tool-call/call.ts";
import type { Bounds } from "../bounds.ts";
import { toolsOf } from "../tools.ts";
import { amendedDigest } from "./amendments.ts";
import type { Feature, Moment } from "./feature.ts";
import { otherMode } from "./modes.ts";

/** The arguments of each call are reviewed: with each verdict, and as invalid. */
export const reviews: Feature = {
  name: "reviews",
  events: (moment) =>
    moment.view.context.turn.calls.flatMap((call) =>
      call.phase === "deciding" || call.phase === "amending" ? reviewEvents(call, moment) : [],
    ),
};

type ReviewedCall = CallIn<"deciding" | "amending">;

const VERDICTS: readonly Verdict[] = [
  { kind: "allow", rule: "r" },
  { kind: "ask" },
  { kind: "deny", rule: "r", reason: "no" },
];
/** A tool of a program may need the approval of a person although its call is allowed. */
const NEEDS_APPROVAL = { verdict: { kind: "allow", rule: "r" }, needsApproval: true } as const;
const EDIT = { say: "user_feedback_diff", text: "-a\n+b" } as const;
const EACH_MINUTE = { kind: "schedule", everyMs: 60_000, message: "Look again." } as const;
/** Calls that write patch one file, where calls repeat. */
const PATCHED = { patches: "a.txt" };

/** All possible reviews of a call. */
function reviewEvents(call: ReviewedCall, moment: Moment): TaskEvent[] {
  const { view, bounds, at } = moment;
  const { callId, amendment } = call;
  const { revision } = view.context.permissions;
  const valid = validReviews(call, moment);
  // A review of an earlier revision. Without one, an approved call is not judged again.
  const mayBeStale = bounds.permits && (amendment === undefined || revision > 0);
  const stale = mayBeStale ? valid.map((review) => ({ ...review, revision: revision - 1 })) : [];
  return [
    ...[...valid, ...stale].map((review): TaskEvent => ({ type: "call.reviewed", at, callId, review })),
    invalidReview(callId, at, bounds.repeats ? PATCHED : {}),
  ];
}

/** The valid reviews of a call: by each tool that it may be of, each finding about its intent, and each verdict. */
function validReviews(call: ReviewedCall, { view: { context }, bounds }: Moment): readonly ValidReview[] {
  const { callId, ask, amendment } = call;
  const { revision } = context.permissions;
  const kinds = toolsOf(bounds, ask).flatMap(({ name, effect }) =>
    intentParts(context, name, effect).map((intended) => ({ name, effect, intended })),
  );
  return kinds.flatMap(({ name, effect, intended }) =>
    judgementsOf(bounds, effect).map(
      (judgement): ValidReview => ({
        valid: true,
        digest: digestOf(call, bounds.repeats ? name : callId),
        revision,
        ...(effect === "writes" && bounds.repeats && PATCHED),
        effect,
        replayable: effect === "reads",
        text: name,
        ...(name === "switch" && { switchesTo: otherMode(context.mode) }),
        ...(name === "wake" && { changesWakeUps: EACH_MINUTE }),
        ...(name === "mcp" && { elicits: true }),
        ...subtaskParts(context, name),
        ...intended,
        ...judgement,
        ...(amendment !== undefined && { edit: EDIT }),
      }),
    ),
  );
}

/** The parts of a review about subtasks in the background: one starts, is waited for or is cancelled. */
function subtaskParts(
  { backgroundSubtasks }: TaskContext,
  name: string,
): Pick<ValidReview, "inBackground" | "ordersSubtasks"> {
  if (name === "background") return { inBackground: true };
  if (name === "await") return { ordersSubtasks: { kind: "wait", until: "any" } };
  if (name !== "stop") return {};
  return { ordersSubtasks: { kind: "cancel", id: backgroundSubtasks[0]?.childId ?? "gone" } };
}

/** The judgements of a call: each verdict and, where what is permitted changes, that a write needs approval. */
const judgementsOf = (
  { amends, permits }: Bounds,
  effect: Effect,
): readonly Pick<ValidReview, "verdict" | "needsApproval">[] => [
  ...VERDICTS.map((verdict) => ({ verdict })),
  ...(amends && permits && effect === "writes" ? [NEEDS_APPROVAL] : []),
];

/** The digest of a call's arguments. `sent`: the digest of the arguments that the model sent. */
function digestOf({ callId, amendment, hooked }: ReviewedCall, sent: string): string {
  if (amendment !== undefined) return amendedDigest(callId);
  return hooked?.amendedBy === undefined ? sent : `${callId}, rewritten`;
}

export const invalidReview = (callId: string, at: number, patched = {}): TaskEvent => ({
  type: "call.reviewed",
  at,
  callId,
  review: { valid: false, error: "does not fit", ...patched },
});

/** The parts of a review that depend on the intent of the task. */
type Intended = Pick<ValidReview, "intent" | "selectsIntent">;

const REFUSED: Intended = { intent: { kind: "refused", rule: "scope", reason: "it is outside" } };

/** The parts of a review about the intent of the task, for a call of an effect: one for each finding. */
export function intentParts({ intent }: TaskContext, name: string, effect: Effect): readonly Intended[] {
  if (name === "select") return [{ selectsIntent: otherIntent(intent) }];
  // A review may say nothing of the intent: for example of an actor that replaces the standard one.
  if (intent === null || effect === "asks" || effect === "none") return [{}];
  if (effect === "reads") return [{}, REFUSED];
  if (intent.stage === "required") return [{}, REFUSED];
  const { id } = intent;
  return [
    { intent: { kind: "owned", id } },
    { intent: { kind: "owned", id: otherIntent(intent) } },
    ...(effect === "executes" ? ([{ intent: { kind: "unscoped", id } }] as const) : []),
    REFUSED,
  ];
}

const otherIntent = (intent: TaskContext["intent"]): string =>
  intent?.stage === "selected" && intent.id === "A" ? "B" : "A";
