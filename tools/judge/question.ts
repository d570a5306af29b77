import type { ValidReview, Verdict } from "../../machines/tool-call/call.ts";
import type { Tool } from "../tool.ts";

/**
 * The verdict of a policy on a call that may be a question. Only a person answers a question or accepts a completion. An
 * allowed completion of a subtask is asked about, and accepted at once by the rule.
 */
export function questionVerdict(
  { ask, effect }: Pick<Tool, "ask" | "effect">,
  verdict: Verdict,
  isSubtask: boolean,
): Pick<ValidReview, "verdict" | "acceptedBy"> {
  if (effect !== "asks" || verdict.kind !== "allow") return { verdict };
  const isAccepted = isSubtask && ask === "completion_result";
  return { verdict: { kind: "ask" }, ...(isAccepted && { acceptedBy: verdict.rule }) };
}
