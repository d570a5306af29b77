import type { TaskContext } from "../machines/task/task.context.ts";
import type { Effect, ValidReview } from "../machines/tool-call/call.ts";

/** The parts of a review that depend on the intent of the task. */
type Intended = Pick<ValidReview, "intent" | "selectsIntent">;

const REFUSED: Intended = { intent: { kind: "refused", rule: "scope", reason: "it is outside" } };

/** What a review says about the intent of the task, for a call of an effect: one for each finding. */
export function intentParts({ intent }: TaskContext, name: string, effect: Effect): readonly Intended[] {
  if (name === "select") return [{ selectsIntent: otherIntent(intent) }];
  // A review may say nothing of the intent: that of an actor that replaces the standard one.
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
