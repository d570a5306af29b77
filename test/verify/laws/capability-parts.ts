import type { Answer, ClineMessage } from "../../../machines/message/index.ts";
import type { TaskEmitted, TaskEvent } from "../../../machines/task/index.ts";
import type {
  CallIdentity,
  Decision,
  Input,
  Phase,
  ToolCall,
  ValidReview,
} from "../../../machines/tool-call/index.ts";
import { capability } from "../../../verify/laws/capability.ts";
import { turnOf } from "./bounds-calls.ts";
import { logOf } from "./pieces.ts";
import { type StepParts, stepOf } from "./step.ts";

const INPUT = { path: "a.txt" };
export const PERSON = { person: true } as const;

interface CallParts {
  readonly callId?: string;
  readonly ask?: CallIdentity["ask"];
  readonly input?: Input;
  readonly digest?: string;
  readonly verdict?: ValidReview["verdict"];
}

export const reviewOf = ({ digest = "digest", verdict = { kind: "ask" } }: CallParts = {}): ValidReview => ({
  ...{ valid: true, effect: "writes", replayable: false, text: "a.txt" },
  digest,
  verdict,
});
const decisionOf = (by: Decision["by"], callId = "c", digest = "digest"): Decision => ({
  ...{ callId, digest, by },
  at: 9,
});
export const allow = (rule: string) => ({ kind: "allow", rule }) as const;

/** A call `c`, whole, in this phase; the verdict of its review is to ask. */
export function callIn(phase: Phase, parts: CallParts = {}): ToolCall {
  const { callId = "c", ask: kind = "tool", input = INPUT } = parts;
  const identity = { callId, toolUseId: `use-${callId}`, name: "write_to_file", ask: kind };
  const review = reviewOf(parts);
  switch (phase) {
    case "planned":
      return { ...identity, phase, preview: "" };
    case "deciding":
      return { ...identity, phase, preview: "", input };
    case "decided":
    case "asking":
      return { ...identity, phase, input, review };
    case "approved":
    case "running":
      return { ...identity, phase, input, review, decision: decisionOf(PERSON, callId, review.digest) };
    case "stopped":
      return { ...identity, phase, replayable: false };
    case "delegated":
      return { ...identity, phase, input, childId: "t1.1" };
    case "settled":
      return { ...identity, phase, outcome: { kind: "done", content: [] } };
  }
}

export const decided = (by: Decision["by"], callId?: string, digest?: string): TaskEmitted => ({
  type: "decision.made",
  decision: decisionOf(by, callId, digest),
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
  readonly rows?: readonly ClineMessage[];
  readonly left?: readonly ToolCall[];
}

/** What the law says where `calls` became `then`, in a log of these rows. */
export const found = ({ calls = [], rows = [], left = calls, ...parts }: Parts): string | undefined =>
  capability.violation(
    stepOf({
      ...parts,
      before: { log: logOf(...rows), turn: turnOf(...calls) },
      after: { turn: turnOf(...left) },
    }),
  );
