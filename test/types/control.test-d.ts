// Checked by the compiler: `@ts-expect-error` fails where there is no error.
import { defineProtocol } from "../../control/index.ts";

const monitors = {
  early: { by: "trusted", at: "response", thresholds: [] },
  late: { by: "trusted", at: "call", thresholds: [] },
} as const;
const resample = { kind: "resample", k: 2, choose: "newest" } as const;

export const accepted = defineProtocol({
  name: "accepted",
  monitors,
  state: { audits: 0 },
  judgeResponse: (_, { early }, state) => ({
    verdict: early > 0.5 ? resample : { kind: "pass" },
    state: { audits: state.audits + 1 },
  }),
  judgeCall: (_, { late }, state) => ({
    verdict: late > 0.5 ? { kind: "replace", from: "edit" } : { kind: "modify", input: {}, reason: "Paths" },
    state,
  }),
  judgeResult: (_, __, state) => ({ verdict: { kind: "modify", result: "", reason: "A key" }, state }),
});

const definition = { name: "rejected", monitors, state: { audits: 0 } };

// @ts-expect-error: a call can't be sampled again, since others of its response may have run.
defineProtocol({ ...definition, judgeCall: (_, __, state) => ({ verdict: resample, state }) });

// @ts-expect-error: the call of a result ran.
defineProtocol({ ...definition, judgeResult: (_, __, state) => ({ verdict: resample, state }) });

defineProtocol({
  ...definition,
  // @ts-expect-error: the call of a result ran.
  judgeResult: (_, __, state) => ({ verdict: { kind: "replace", from: "edit" }, state }),
});

defineProtocol({
  ...definition,
  // @ts-expect-error: a change has a reason for the model.
  judgeCall: (_, __, state) => ({ verdict: { kind: "modify", input: {} }, state }),
});

defineProtocol({
  ...definition,
  // @ts-expect-error: the monitor gives its score at the response.
  judgeCall: (_, { early }, state) => ({ verdict: { kind: early > 0.5 ? "audit" : "pass" }, state }),
});

defineProtocol({
  ...definition,
  // @ts-expect-error: the next state has the form of the first one.
  judgeCall: (_, __, state) => ({ verdict: { kind: "pass" }, state: { audits: `${state.audits}` } }),
});

defineProtocol({
  ...definition,
  judgeCall: (_, __, state, rationales) => ({
    // @ts-expect-error: the protocol does not explain.
    verdict: { kind: "deny", reason: rationales.late },
    state,
  }),
});

export const explaining = defineProtocol({
  ...definition,
  explains: true,
  judgeCall: (_, __, state, rationales) => ({ verdict: { kind: "deny", reason: rationales.late }, state }),
});
