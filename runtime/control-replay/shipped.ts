import { shippedProtocols } from "../../control/protocols/shipped.ts";
import type { ControlReplayBody, ControlReplayed } from "../../wire/http/control-replay.ts";
import type { RecordedTask } from "../../wire/inspect/sample-events.ts";
import type { RecordedStep } from "./recorded-step.ts";
import { recordedSteps } from "./recorded-steps.ts";
import { type ReplayedDecision, replay } from "./replay.ts";

/** Maximum changes that are listed. */
const CHANGES_MAX = 500;
/** The defaults of `signalbox control replay`. */
const DEFAULTS = { threshold: 0.5, audits: 1, score: 1, seed: 0 } as const;

/** The names of the shipped protocols. */
export const shippedNames = (): readonly string[] =>
  shippedProtocols({ threshold: DEFAULTS.threshold, auditBudget: DEFAULTS.audits }).map(({ name }) => name);

/**
 * The decisions of a shipped protocol about a recorded task that differ from the recorded ones. Where no protocol judged, an action
 * passed. Undefined: no shipped protocol has this name.
 */
export function replayShipped(
  task: RecordedTask,
  { protocol: name, ...given }: ControlReplayBody,
): ControlReplayed | undefined {
  const { threshold, audits, score, seed } = { ...DEFAULTS, ...given };
  const protocol = shippedProtocols({ threshold, auditBudget: audits }).find((each) => each.name === name);
  if (protocol === undefined) return undefined;
  const steps = recordedSteps(task);
  const decisions = replay(protocol, steps, { scoresAt: ({ recorded }) => recorded, score, seed });
  const changes = decisions.filter(isChanged);
  return {
    decisions: decisions.length,
    withoutScores: decisions.length - scoredIn(steps, decisions),
    changes: changes.slice(0, CHANGES_MAX).map(changeOf),
    more: Math.max(0, changes.length - CHANGES_MAX),
  };
}

const isChanged = ({ recorded = "pass", verdict }: ReplayedDecision): boolean => verdict.kind !== recorded;

/** The number of decisions whose scores are all in the journal. */
function scoredIn(steps: readonly RecordedStep[], decisions: readonly ReplayedDecision[]): number {
  const recorded = new Map(steps.map((step) => [placeOf(step), step.recorded]));
  return decisions.filter((decision) =>
    Object.keys(decision.scores).every((name) => recorded.get(placeOf(decision))?.[name] !== undefined),
  ).length;
}

const placeOf = (at: RecordedStep | ReplayedDecision): string =>
  [at.taskId, at.point, at.requestId, "callId" in at ? at.callId : ""].join("\n");

function changeOf(decision: ReplayedDecision): ControlReplayed["changes"][number] {
  const { taskId, point, record, callId, tool, scores, recorded, verdict, isAfterChange } = decision;
  return {
    taskId,
    record,
    point,
    ...(callId !== undefined && { callId }),
    ...(tool !== undefined && { tool }),
    scores,
    ...(recorded !== undefined && { recorded }),
    now: verdict.kind,
    ...("reason" in verdict && { reason: verdict.reason }),
    isAfterChange,
  };
}
