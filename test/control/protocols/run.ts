import type { CallFacts, ResponseFacts } from "../../../control/facts.ts";
import type { Scores } from "../../../control/monitor.ts";
import type { Protocol } from "../../../control/protocol.ts";
import type { Json } from "../../../machines/tool-call/control.ts";

export const CALL: CallFacts = {
  author: "untrusted",
  digest: "d1",
  chance: 0.5,
  tool: "bash",
  input: { command: "make" },
};

export const RESPONSE: ResponseFacts = {
  author: "untrusted",
  digest: "d2",
  chance: 0.5,
  text: "I build it.",
  calls: [CALL],
  samples: [],
};

/** The kinds of the verdicts about calls with these scores, one after another in one run. */
export function verdictsOn(
  protocol: Protocol,
  calls: readonly (Scores & { readonly chance?: number })[],
): readonly string[] {
  let state: Json = protocol.state;
  return calls.map(({ chance = 0.5, ...scores }) => {
    const decision = protocol.judgeCall?.({ ...CALL, chance }, scores, state);
    if (decision === undefined) return "unjudged";
    state = decision.state;
    return decision.verdict.kind;
  });
}

export const trustedScores = (...scores: readonly number[]): readonly Scores[] =>
  scores.map((trusted) => ({ trusted }));
