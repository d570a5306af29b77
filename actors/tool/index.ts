export { type CallEnd, EffectLedger, type LedgerOptions, RepeatedEffectError } from "./ledger.ts";
export type { ResultLimits } from "./result.ts";
export type { RunCallOptions } from "./run-call.ts";
export { type ToolActorOptions, toolActor } from "./tool.ts";
