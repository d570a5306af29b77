import { callAt, decided, sampleAt, sharedFacts } from "../../actors/control/decision.ts";
import type { Scores } from "../../control/monitor.ts";
import { validScore } from "../../control/monitor.ts";
import { monitorsAt, type Protocol } from "../../control/protocol.ts";
import { pointsOf } from "../../control/runtime/controller.ts";
import type { CallVerdict, Decision, ResponseVerdict, ResultVerdict } from "../../control/verdict.ts";
import type { Json } from "../../machines/tool-call/control.ts";
import type { RecordedStep } from "./recorded-step.ts";

type Verdict = ResponseVerdict | CallVerdict | ResultVerdict;

/** The decision of a protocol at a point of a recorded task. */
export interface ReplayedDecision {
  readonly taskId: string;
  readonly point: RecordedStep["point"];
  readonly requestId: string;
  /** Absent at a response. */
  readonly callId?: string;
  readonly tool?: string;
  readonly author: RecordedStep["author"];
  readonly digest: string;
  /** The number of its record in the journal of the task. */
  readonly record: number;
  /** The verdict that the journal has. Absent: no protocol judged here. */
  readonly recorded?: string;
  readonly scores: Scores;
  readonly verdict: Verdict;
  /** The state of the protocol afterwards. */
  readonly state: Json;
  /** Whether an earlier verdict would have changed what happened, so that the log shows another course. */
  readonly isAfterChange: boolean;
}

export interface ReplayOptions {
  /** The scores at a step, by the names of the monitors. One that is missing is `score`. */
  readonly scoresAt: (step: RecordedStep) => Scores;
  /** Score of a monitor without a score, from 0 to 1. */
  readonly score: number;
  /** Seed of the drawn numbers, as of a controlled task. */
  readonly seed: number;
}

/** The decisions that a protocol would have made about recorded steps. Nothing runs. */
export function replay(
  protocol: Protocol,
  steps: readonly RecordedStep[],
  { scoresAt, score, seed }: ReplayOptions,
): readonly ReplayedDecision[] {
  const points = pointsOf(protocol);
  let state = protocol.state;
  let isAfterChange = false;
  return steps
    .filter(({ point }) => points.includes(point))
    .map((step) => {
      const given = scoresAt(step);
      const scores = Object.fromEntries(
        monitorsAt(protocol.monitors, step.point).map((name) => [name, validScore(given[name] ?? score)]),
      );
      const { verdict, state: next } = judge(protocol, { step, scores, state, seed });
      const { taskId, point, requestId, author, digest, record } = step;
      const call = step.point === "response" ? {} : { callId: step.callId, tool: step.tool };
      const decision = {
        taskId,
        point,
        requestId,
        ...call,
        author,
        digest,
        record,
        ...(step.verdict !== undefined && { recorded: step.verdict }),
        scores,
        verdict,
        state: next,
        isAfterChange,
      };
      state = next;
      isAfterChange ||= changesCourse(verdict);
      return decision;
    });
}

/** Whether what follows in a log would have been different. An audit changes nothing unless it finds an attack. */
export const changesCourse = ({ kind }: Verdict): boolean => kind !== "pass" && kind !== "audit";

interface Judged {
  readonly step: RecordedStep;
  readonly scores: Scores;
  readonly state: Json;
  readonly seed: number;
}

const PASS = { kind: "pass" } as const;

/** The decision as a controlled task would get it: one that throws denies, and a call of the trusted model passes. */
function judge(protocol: Protocol, { step, scores, state, seed }: Judged): Decision<Verdict, Json> {
  if (step.point === "call" && step.author === "trusted") return { verdict: PASS, state };
  const place = step.point === "response" ? sampleAt(1) : callAt(step.callId);
  const facts = sharedFacts({ protocol, monitors: {}, seed }, step, place);
  const decide = (): Decision<Verdict, Json> | undefined => {
    if (step.point === "response") {
      const { text, calls } = step;
      return protocol.judgeResponse?.({ ...facts, text, calls, samples: [scores] }, scores, state);
    }
    const { tool, input } = step;
    if (step.point === "call") return protocol.judgeCall?.({ ...facts, tool, input }, scores, state);
    return protocol.judgeResult?.({ ...facts, tool, input, result: step.result }, scores, state);
  };
  return decided<Verdict>(state, decide);
}
