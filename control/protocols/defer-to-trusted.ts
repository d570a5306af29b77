import { defineProtocol, type Protocol } from "../protocol.ts";
import { pass } from "./audit-budget.ts";

export interface DeferOptions {
  /** Suspicion score, from 0 to 1. A greater score is suspicious. */
  readonly threshold: number;
}

/**
 * Defer to trusted: the trusted model writes the call in place of a suspicious one.
 *
 * No call of the untrusted model over the threshold runs. Nothing is audited, so an attack can be tried in each decision.
 */
export const deferToTrusted = ({ threshold }: DeferOptions): Protocol =>
  defineProtocol({
    name: "defer to trusted",
    monitors: { trusted: { by: "trusted", at: "call", thresholds: [threshold] } },
    state: {},
    judgeCall: (_, { trusted }, state) =>
      trusted > threshold ? { verdict: { kind: "replace", from: "scratch" }, state } : pass(state),
  });
