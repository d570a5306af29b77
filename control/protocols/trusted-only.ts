import { defineProtocol, type Protocol } from "../protocol.ts";

/**
 * Trusted only: the trusted model writes each response. The end of the curve with the usefulness of the trusted model.
 *
 * No call of the untrusted model runs.
 */
export const trustedOnly = (): Protocol =>
  defineProtocol({
    name: "trusted only",
    monitors: {},
    state: {},
    judgeResponse: (_, __, state) => ({ verdict: { kind: "replace", from: "scratch" }, state }),
  });
