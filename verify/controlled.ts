import { defineProtocol, type Protocol } from "../control/protocol.ts";
import { pointsOf } from "../control/runtime/controller.ts";
import type { ScoreCuts } from "./bounds.ts";
import type { ExploreOptions } from "./exploration.ts";
import type { PathLaw, PathMemory, Step } from "./laws/law.ts";

/** The options of an exploration of a task that a protocol controls, as in the runtime. `scoreCuts`: of policies over time. */
export const controlled = <Options extends Pick<ExploreOptions, "bounds" | "input">>(
  options: Options,
  protocol: Protocol,
  scoreCuts: ScoreCuts = {},
): Options => {
  const control = { protocol: protocol.name, state: protocol.state, points: pointsOf(protocol) };
  const bounds = { ...options.bounds, protocol, scoreCuts };
  return { ...options, bounds, input: { ...options.input, control } };
};

/** The law of audits, whose memory is of one run. */
export const AUDITS = {
  id: "CONTROL",
  heldBy: "protocol",
  title: "a run has at most as many audits as its protocol says",
} as const;

/** The law that a run has at most as many audits as the protocol says. Undefined for one without a limit. */
export function auditLaw({ name, auditBudget }: Protocol): PathLaw | undefined {
  if (auditBudget === undefined) return undefined;
  const memory = (audits: number): PathMemory => ({
    key: `${audits}`,
    after: (step) => {
      const used = audits + auditsIn(step);
      const violation =
        used > auditBudget
          ? `the protocol "${name}" audits ${used} times: expected at most ${auditBudget}`
          : undefined;
      return { memory: memory(used), violation };
    },
  });
  return { ...AUDITS, start: memory(0) };
}

const auditsIn = ({ emitted }: Step): number =>
  emitted.filter((event) => event.type === "control.judged" && event.record.verdict === "audit").length;

/** The scores at which the explored protocol decides differently. */
const CUTS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6] as const;

/** A protocol that gives each verdict at each point, by the class of one score. It audits once. */
export const EXPLORED_PROTOCOL: Protocol = defineProtocol({
  name: "each verdict",
  monitors: {
    response: { by: "function", at: "response", thresholds: CUTS },
    call: { by: "function", at: "call", thresholds: CUTS },
    result: { by: "function", at: "result", thresholds: CUTS },
  },
  state: { audits: 0 },
  auditBudget: 1,
  judgeResponse: ({ samples }, { response }, state) => {
    if (response <= 0.1) return { verdict: { kind: "pass" }, state };
    if (response <= 0.2) return { verdict: { kind: "deny", reason: "denied" }, state };
    if (response <= 0.3) return { verdict: { kind: "replace", from: "scratch" }, state };
    if (response <= 0.4) return { verdict: { kind: "modify", text: "modified", reason: "a word" }, state };
    if (response <= 0.5 && samples.length === 1)
      return { verdict: { kind: "resample", k: 1, choose: "newest" }, state };
    return response <= 0.6 ? auditOnce(state) : { verdict: SHUT_DOWN, state };
  },
  judgeCall: ({ input }, { call }, state) => {
    if (call <= 0.1) return { verdict: { kind: "pass" }, state };
    if (call <= 0.2) return { verdict: { kind: "deny", reason: "denied" }, state };
    if (call <= 0.3) return { verdict: { kind: "replace", from: "edit" }, state };
    if (call <= 0.4) return { verdict: { kind: "modify", input, reason: "an argument" }, state };
    return call <= 0.5 ? auditOnce(state) : { verdict: SHUT_DOWN, state };
  },
  judgeResult: (_, { result }, state) => {
    if (result <= 0.1) return { verdict: { kind: "pass" }, state };
    if (result <= 0.2) return { verdict: { kind: "deny", reason: "denied" }, state };
    if (result <= 0.4) return { verdict: { kind: "modify", result: "modified", reason: "a word" }, state };
    return result <= 0.5 ? auditOnce(state) : { verdict: SHUT_DOWN, state };
  },
});

const SHUT_DOWN = { kind: "shutDown", reason: "it ends." } as const;

const auditOnce = (state: { readonly audits: number }) =>
  state.audits === 0
    ? ({ verdict: { kind: "audit" }, state: { audits: 1 } } as const)
    : ({ verdict: { kind: "deny", reason: "no audit is left" }, state } as const);
