import type { Turn } from "../../../machines/task/index.ts";
import type {
  CallIdentity,
  CallIn,
  Effect,
  Outcome,
  Phase,
  ToolCall,
  ValidReview,
} from "../../../machines/tool-call/index.ts";
import { fresh } from "./step.ts";

const identityOf = (callId: string): CallIdentity => ({
  callId,
  toolUseId: `toolu_${callId}`,
  name: "write_file",
  ask: "tool",
});
const reviewOf = (effect: Effect): ValidReview => ({
  valid: true,
  digest: "digest",
  effect,
  replayable: false,
  text: "text",
  verdict: { kind: "ask" },
});
const decisionOf = (callId: string) => ({ callId, digest: "digest", by: { person: true }, at: 1 }) as const;

const input = { path: "a.txt" };
/** What a call has in the phases in which its arguments were looked at. */
const looked = (callId: string, effect: Effect) => ({
  ...identityOf(callId),
  input,
  review: reviewOf(effect),
});
const permitted = (callId: string, effect: Effect) => ({
  ...looked(callId, effect),
  decision: decisionOf(callId),
});

export const running = (callId: string, effect: Effect = "writes"): CallIn<"running"> => ({
  ...permitted(callId, effect),
  phase: "running",
});
export const approved = (callId: string, effect: Effect = "writes"): CallIn<"approved"> => ({
  ...permitted(callId, effect),
  phase: "approved",
});
export const stopped = (callId: string): CallIn<"stopped"> => ({
  ...identityOf(callId),
  phase: "stopped",
  replayable: false,
});
export const delegated = (callId: string): CallIn<"delegated"> => ({
  ...identityOf(callId),
  phase: "delegated",
  input,
  childId: "t1.1",
});
export const settled = (callId: string, kind: Outcome["kind"] = "done"): CallIn<"settled"> => ({
  ...identityOf(callId),
  phase: "settled",
  outcome: { kind, content: [{ type: "text", text: kind }] },
});

/** A call in each of its phases. */
export const CALLS: { readonly [P in Phase]: (callId: string) => CallIn<P> } = {
  planned: (callId) => ({ ...identityOf(callId), phase: "planned", preview: "" }),
  deciding: (callId) => ({ ...identityOf(callId), phase: "deciding", preview: "", input }),
  decided: (callId) => ({ ...looked(callId, "writes"), phase: "decided" }),
  asking: (callId) => ({ ...looked(callId, "writes"), phase: "asking" }),
  approved: (callId) => approved(callId),
  running: (callId) => running(callId),
  stopped,
  delegated,
  settled: (callId) => settled(callId),
};

/** The turn of an answer that made these calls. */
export const turnOf = (...calls: readonly ToolCall[]): Turn => ({ ...fresh.turn, calls });
