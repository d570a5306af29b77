import { type AgentStateInfo, isAskType, type Log } from "../machines/message/index.ts";
import type { Moment } from "./moment.ts";

/** The rule of derivation by which this log means `derived`: R0 to R4, the first that holds. */
export function ruleOf(log: Log, derived: AgentStateInfo): Moment["rule"] {
  const last = log.at(-1);
  if (last === undefined) return "R0";
  if (last.partial === true) return "R1";
  if (last.type === "ask" && isAskType(last.ask)) return "R2";
  return derived.isStreaming ? "R3" : "R4";
}
