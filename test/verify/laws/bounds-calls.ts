import type { TaskEmitted, Turn } from "../../../machines/task/index.ts";
import type { Effect, Outcome, Phase, ToolCall, ValidReview } from "../../../machines/tool-call/index.ts";
import { fresh } from "./step.ts";

const OUTCOME: Outcome = { kind: "done", content: [] };

interface CallParts {
  /** Of a call that was looked at. Default `writes`. */
  readonly effect?: Effect;
  /** Of a settled call. */
  readonly notice?: string;
}

/** A call of this phase, whole; its name is `do-` and its id. */
export function callOf(
  callId: string,
  phase: Phase,
  { effect = "writes", notice }: CallParts = {},
): ToolCall {
  const identity = { callId, toolUseId: `use-${callId}`, name: `do-${callId}`, ask: "tool" } as const;
  const digest = `digest-${callId}`;
  const review: ValidReview = {
    valid: true,
    digest,
    effect,
    replayable: false,
    text: callId,
    verdict: { kind: "ask" },
  };
  const decision = { callId, digest, by: { person: true }, at: 1 } as const;
  switch (phase) {
    case "planned":
      return { ...identity, phase, preview: "" };
    case "deciding":
      return { ...identity, phase, preview: "", input: {} };
    case "decided":
    case "asking":
      return { ...identity, phase, input: {}, review };
    case "approved":
    case "running":
      return { ...identity, phase, input: {}, review, decision };
    case "stopped":
      return { ...identity, phase, replayable: false };
    case "delegated":
      return { ...identity, phase, input: {}, childId: `child-${callId}` };
    case "settled":
      return { ...identity, phase, outcome: OUTCOME, ...(notice !== undefined && { notice }) };
  }
}

/** A turn of these calls. */
export const turnOf = (...calls: readonly ToolCall[]): Turn => ({ ...fresh.turn, calls });

/** The row that is told of with these words. */
export const rowSaid = (say: string, text = say): TaskEmitted => ({
  type: "message.appended",
  message: { ts: 1, type: "say", say, text },
});

/** The open ask that is told of. */
export const rowAsked = (ask: string, text = ask): TaskEmitted => ({
  type: "message.appended",
  message: { ts: 1, type: "ask", ask, text },
});
