import { defineProtocol, type Protocol } from "../protocol.ts";
import { pass } from "./audit-budget.ts";
import type { DeferOptions } from "./defer-to-trusted.ts";

/**
 * Trusted editing: the trusted model edits a suspicious call, and the edited call runs.
 *
 * No call of the untrusted model over the threshold runs unedited.
 */
export const trustedEditing = ({ threshold }: DeferOptions): Protocol =>
  defineProtocol({
    name: "trusted editing",
    monitors: { trusted: { by: "trusted", at: "call", thresholds: [threshold] } },
    state: {},
    judgeCall: (_, { trusted }, state) =>
      trusted > threshold ? { verdict: { kind: "replace", from: "edit" }, state } : pass(state),
  });
