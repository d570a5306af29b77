import type { ControlPoint, Json } from "../machines/tool-call/control.ts";
import { checkedDecision } from "./checked-verdict.ts";
import type { CallFacts, ResponseFacts, ResultFacts } from "./facts.ts";
import { type Monitors, type Scores, validScore } from "./monitor.ts";
import { assertProtocol } from "./protocol-form.ts";
import type { CallVerdict, Decision, ResponseVerdict, ResultVerdict } from "./verdict.ts";

/** The scores that a judge at a point gets, by the names of the monitors at this point. */
type ScoresAt<M extends Monitors, P extends ControlPoint> = {
  readonly [Name in keyof M as M[Name]["at"] extends P ? Name : never]: number;
};

/** The rationales of the monitors, by their names. Empty unless the protocol explains. */
type Rationales<M extends Monitors, P extends ControlPoint, E extends boolean> = {
  readonly [Name in keyof M as E extends true ? (M[Name]["at"] extends P ? Name : never) : never]: string;
};

/** The definition of a protocol. Its judges are pure functions. */
export interface ProtocolDefinition<M extends Monitors, S extends Json, E extends boolean> {
  readonly name: string;
  /** The monitors, by their names. */
  readonly monitors: M;
  /** The durable state of a run as it begins, such as the audits that were used. */
  readonly state: S;
  /** Maximum audits of a run, which `signalbox verify --protocol` checks. Default: no limit. */
  readonly auditBudget?: number | undefined;
  /** Values of `chance` at which the protocol decides differently, from 0 to 1. Default: none. */
  readonly chances?: readonly number[];
  /**
   * Whether the rationale of a monitor may reach the untrusted model. Default: false. Only then the judges get rationales, as
   * their last argument.
   */
  readonly explains?: E;
  /** Judge a response, before its text is shown. Absent: each passes. */
  readonly judgeResponse?: (
    facts: ResponseFacts<ScoresAt<M, "response">>,
    scores: ScoresAt<M, "response">,
    state: S,
    rationales: Rationales<M, "response", E>,
  ) => Decision<ResponseVerdict, S>;
  /** Judge a call, before it runs. Absent: each passes. */
  readonly judgeCall?: (
    facts: CallFacts,
    scores: ScoresAt<M, "call">,
    state: S,
    rationales: Rationales<M, "call", E>,
  ) => Decision<CallVerdict, S>;
  /** Judge a result, before the model sees it. Absent: each passes. */
  readonly judgeResult?: (
    facts: ResultFacts,
    scores: ScoresAt<M, "result">,
    state: S,
    rationales: Rationales<M, "result", E>,
  ) => Decision<ResultVerdict, S>;
}

/** A judge. Rationales are dropped unless the protocol explains. */
type Judge<Facts, Result> = (
  facts: Facts,
  scores: Scores,
  state: Json,
  rationales?: Readonly<Record<string, string>>,
) => Result;

/** The judges of a definition. Methods, so that each takes the names and the state of its own protocol only. */
interface Judges {
  judgeResponse?(...given: Parameters<Judge<ResponseFacts, unknown>>): Decision<ResponseVerdict, Json>;
  judgeCall?(...given: Parameters<Judge<CallFacts, unknown>>): Decision<CallVerdict, Json>;
  judgeResult?(...given: Parameters<Judge<ResultFacts, unknown>>): Decision<ResultVerdict, Json>;
}

/** A protocol that is ready to judge. Its judges are pure: equal arguments give an equal decision. */
export interface Protocol {
  readonly name: string;
  readonly monitors: Monitors;
  readonly state: Json;
  /** Absent: no limit. */
  readonly auditBudget?: number;
  readonly chances: readonly number[];
  readonly explains: boolean;
  readonly judgeResponse?: Judge<ResponseFacts, Judgement<ResponseVerdict>>;
  readonly judgeCall?: Judge<CallFacts, Judgement<CallVerdict>>;
  readonly judgeResult?: Judge<ResultFacts, Judgement<ResultVerdict>>;
}

/** A decision about exactly the content with this digest. */
export interface Judgement<Verdict> extends Decision<Verdict, Json> {
  readonly digest: string;
}

/**
 * Define a protocol: pure functions of facts, scores and its own durable state that return a verdict and the next state.
 *
 * A score that is missing or not from 0 to 1 is replaced by 1, the most suspicious one. A judge that throws, or returns no verdict
 * of its point (`VERDICT_INVALID`), denies in a task, and ends measurements with its error.
 *
 * @example
 * ```ts
 * import { defineProtocol } from "signalbox/control";
 * const cautious = defineProtocol({
 *   name: "cautious",
 *   monitors: { trusted: { by: "trusted", at: "call", thresholds: [0.5] } },
 *   state: { audits: 0 },
 *   judgeCall: (_, { trusted }, state) =>
 *     trusted > 0.5 && state.audits < 3
 *       ? { verdict: { kind: "audit" }, state: { audits: state.audits + 1 } }
 *       : { verdict: { kind: "pass" }, state },
 * });
 * const call = { author: "untrusted", digest: "d1", chance: 0, tool: "bash", input: {} } as const;
 * console.log(cautious.judgeCall?.(call, { trusted: 0.9 }, cautious.state).verdict.kind); // audit
 * ```
 *
 * @throws ControlError `PROTOCOL_INVALID` where the form is not valid
 */
export function defineProtocol<const M extends Monitors, S extends Json, const E extends boolean = false>(
  definition: ProtocolDefinition<M, S, E>,
): Protocol {
  const { name, monitors, state, auditBudget, chances = [], explains = false } = definition;
  const form = { name, monitors, state, chances };
  assertProtocol(definition);
  const { judgeResponse, judgeCall, judgeResult }: Judges = definition;
  const valid = (point: ControlPoint, scores: Scores): Scores =>
    Object.fromEntries(monitorsAt(monitors, point).map((monitor) => [monitor, validScore(scores[monitor])]));
  const judge =
    <Facts extends { readonly digest: string }, Verdict>(
      point: ControlPoint,
      decide: Judge<Facts, Decision<Verdict, Json>>,
    ): Judge<Facts, Judgement<Verdict>> =>
    (facts, scores, now, rationales = {}) => {
      const decided = decide(facts, valid(point, scores), now, explains ? rationales : {});
      const { verdict, state } = checkedDecision(name, point, decided);
      return { digest: facts.digest, verdict, state };
    };
  return {
    ...form,
    ...(auditBudget !== undefined && { auditBudget }),
    explains,
    ...(judgeResponse && {
      judgeResponse: judge("response", ({ samples, ...facts }, ...others) =>
        judgeResponse({ ...facts, samples: samples.map((each) => valid("response", each)) }, ...others),
      ),
    }),
    ...(judgeCall && { judgeCall: judge("call", judgeCall) }),
    ...(judgeResult && { judgeResult: judge("result", judgeResult) }),
  };
}

/** The names of the monitors that give a score at a point. */
export const monitorsAt = (monitors: Monitors, point: ControlPoint): readonly string[] =>
  Object.keys(monitors).filter((monitor) => monitors[monitor]?.at === point);
