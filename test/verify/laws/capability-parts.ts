import type { Answer } from "../../../machines/message/asks.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/task.events.ts";
import type { Decision, ToolCall } from "../../../machines/tool-call/call.ts";
import { capability } from "../../../verify/laws/capability.ts";
import { decisionOf, reviewOf, turnOf } from "./calls.ts";
import { logOf } from "./commit-parts.ts";
import { type StepParts, stepOf } from "./step.ts";

export const allow = (rule: string) => ({ kind: "allow", rule }) as const;

export const decided = (by: Decision["by"], callId = "c", digest?: string): TaskEmitted => ({
  type: "decision.made",
  decision: decisionOf(callId, by, digest),
});
export const answered = (kind: Exclude<Answer["kind"], "text"> = "yes", askId = 5): TaskEvent => ({
  ...{ type: "ask.answered", at: 9, askId },
  answer: { kind },
});
export const expired = (
  rule: string,
  kind: Exclude<Answer["kind"], "text"> = "yes",
  askId = 5,
): TaskEvent => ({
  ...{ type: "ask.expired", at: 9, askId, rule },
  answer: { kind },
});
export const reviewed = (review = reviewOf({ verdict: allow("r") }), callId = "c"): TaskEvent => ({
  ...{ type: "call.reviewed", at: 9, callId },
  review,
});

interface Parts extends Pick<StepParts, "from" | "event" | "emitted" | "earlier"> {
  readonly calls?: readonly ToolCall[];
  readonly messages?: readonly ClineMessage[];
  readonly left?: readonly ToolCall[];
}

/** The violation when `calls` became `left`, in a log of these messages. */
export const found = ({ calls = [], messages = [], left = calls, ...parts }: Parts): string | undefined =>
  capability.violation(
    stepOf({
      ...parts,
      before: { log: logOf(...messages), turn: turnOf(...calls) },
      after: { turn: turnOf(...left) },
    }),
  );
