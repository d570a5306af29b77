import type { ProposedCall } from "../../control/facts.ts";
import type { MonitoredAction } from "../../control/runtime/action.ts";
import type { Controller } from "../../control/runtime/controller.ts";
import { callEnding, type Ending, type Found, resultEnding } from "../../control/runtime/ending.ts";
import type { CallVerdict, ResultVerdict } from "../../control/verdict.ts";
import type { Conversation } from "../../machines/conversation/conversation.ts";
import type { CallControl } from "../../machines/task/task.setup.ts";
import type { Controlled } from "../../machines/tool-call/control.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Registry } from "../../tools/registry.ts";
import { digestOf } from "../review/digest.ts";
import {
  attempt,
  audited,
  callAt,
  type Decided,
  decided,
  proposedIn,
  recordOf,
  type SharedFacts,
  sharedFacts,
  withinTime,
} from "./decision.ts";
import { type DecisionSignals, type Measured, measure } from "./measure.ts";

/** A task that a protocol controls. */
export interface ControlledTask {
  readonly taskId: string;
  readonly controller: Controller;
  readonly registry: Registry;
  readonly clock: Clock;
  /** Aborts when the task is cancelled. */
  readonly signal: AbortSignal;
}

/** A call as it would run. */
export interface JudgedCall extends ProposedCall {
  readonly callId: string;
  readonly digest: string;
}

/** The decision of a protocol, and its effect. */
export interface ControlDecision extends Ending {
  readonly control: Controlled;
}

/**
 * Let the protocol decide about a call, exactly as it would run. A call that the trusted model wrote passes.
 * @throws the reason of the signal
 */
export async function controlCall(
  task: ControlledTask,
  call: JudgedCall,
  { author, state, conversation }: CallControl,
): Promise<ControlDecision> {
  const action = { ...actionOf(task, call, { author, conversation }), point: "call" } as const;
  if (author === "trusted") return passed(action, call, state);
  const { protocol } = task.controller;
  return decide(task, action, call, {
    judge: (shared, { scores, rationales }) =>
      decided<CallVerdict>(state, () =>
        protocol.judgeCall?.({ ...shared, ...proposed(call) }, scores, state, rationales),
      ),
    endingOf: callEnding,
  });
}

/** Let the protocol decide about a result, exactly as the model would get it. @throws the reason of the signal */
export async function controlResult(
  task: ControlledTask,
  ended: Omit<JudgedCall, "digest">,
  result: string,
  { author, state, conversation }: CallControl,
): Promise<ControlDecision> {
  const call = { ...ended, digest: digestOf("result", { callId: ended.callId, result }) };
  const action = { ...actionOf(task, call, { author, conversation }), point: "result", result } as const;
  const { protocol } = task.controller;
  return decide(task, action, call, {
    judge: (shared, { scores, rationales }) =>
      decided<ResultVerdict>(state, () =>
        protocol.judgeResult?.({ ...shared, ...proposed(call), result }, scores, state, rationales),
      ),
    endingOf: resultEnding,
  });
}

interface Judging<Verdict> {
  readonly judge: (shared: SharedFacts, measured: Measured) => Decided<Verdict>;
  readonly endingOf: (verdict: Verdict, found: Found) => Ending;
}

/** Ask the monitors, let the protocol judge, and do what its verdict needs: an audit, or a call of the trusted model. */
const decide = <Verdict extends CallVerdict | ResultVerdict>(
  task: ControlledTask,
  action: MonitoredAction,
  { callId }: JudgedCall,
  { judge, endingOf }: Judging<Verdict>,
): Promise<ControlDecision> =>
  withinTime(task, async (signals) => {
    const measured = await measure(task.controller, action, signals);
    const { verdict, state, error } = judge(sharedFacts(task.controller, action, callAt(callId)), measured);
    const { found, dollars } = await find(task, action, verdict, signals);
    const ending = endingOf(verdict, found);
    const { shutDown } = ending;
    const record = recordOf(action, verdict.kind, measured, { callId, dollars, error, audit: found.audit });
    return {
      ...ending,
      control: { records: [record], state, ...(shutDown !== undefined && { shutDown }) },
    };
  });

const proposed = ({ tool, input }: ProposedCall): ProposedCall => ({ tool, input });

const actionOf = (
  { taskId }: ControlledTask,
  call: JudgedCall,
  { author, conversation }: Pick<CallControl, "author" | "conversation">,
): Omit<MonitoredAction, "point"> => ({
  author,
  digest: call.digest,
  taskId,
  call: proposed(call),
  calls: callsIn(conversation),
  conversation,
});

/** The calls of the newest response. */
function callsIn(conversation: Conversation): readonly ProposedCall[] {
  for (let index = conversation.length - 1; index >= 0; index -= 1) {
    const entry = conversation.at(index);
    if (entry?.role === "assistant") return proposedIn(entry.content);
  }
  return [];
}

const NOTHING_MEASURED: Measured = { scores: {}, rationales: {}, dollars: 0 };

function passed(
  action: MonitoredAction,
  { callId }: JudgedCall,
  state: CallControl["state"],
): ControlDecision {
  const record = recordOf(action, "pass", NOTHING_MEASURED, { callId });
  return { ...callEnding({ kind: "pass" }, {}), control: { records: [record], state } };
}

/** Let an auditor look at an action, or the trusted model write its own. */
async function find(
  { controller: { auditor, trusted }, registry }: ControlledTask,
  action: MonitoredAction,
  verdict: CallVerdict | ResultVerdict,
  signals: DecisionSignals,
): Promise<{ readonly found: Found; readonly dollars?: number | undefined }> {
  const scope = { signal: signals.ended };
  if (verdict.kind === "audit" && auditor !== undefined)
    return { found: { audit: await audited(signals, () => auditor(action, scope)) } };
  if (verdict.kind !== "replace" || trusted === undefined) return { found: {} };
  const written = await attempt(signals, () => trusted(action, verdict.from, scope));
  const call = written?.call;
  const tool = call && registry.find(call.tool);
  if (call === undefined || tool === undefined) return { found: {}, dollars: written?.dollars };
  const { name, ask } = tool;
  return { found: { trusted: { name, ask, input: call.input } }, dollars: written?.dollars };
}
