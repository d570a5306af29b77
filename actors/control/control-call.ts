import type { CallFacts, ProposedCall, ResultFacts } from "../../control/facts.ts";
import type { MonitoredAction } from "../../control/runtime/action.ts";
import type { Controller } from "../../control/runtime/controller.ts";
import { callEnding, type Ending, type Found, resultEnding } from "../../control/runtime/ending.ts";
import type { CallVerdict, ResultVerdict } from "../../control/verdict.ts";
import type { CallControl } from "../../machines/task/task.setup.ts";
import type { Controlled } from "../../machines/tool-call/control.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Registry } from "../../tools/registry.ts";
import { digestOf } from "../review/digest.ts";
import { attempt, audited, callAt, decided, recordOf, sharedFacts, withinTime } from "./decision.ts";
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

const NOT_APPROVED = "it was not approved.";

/**
 * Let the protocol decide about a call, exactly as it would run. A call that the trusted model wrote passes.
 * @throws the reason of the signal
 */
export async function controlCall(
  task: ControlledTask,
  call: JudgedCall,
  control: CallControl,
): Promise<ControlDecision> {
  const action = actionOf(task, "call", call, control);
  if (control.author === "trusted") return passed(action, call, control);
  const { controller } = task;
  return withinTime(controller, task.clock, task.signal, async (signals) => {
    const measured = await measure(controller, action, signals);
    const facts: CallFacts = { ...sharedFacts(controller, action, callAt(call.callId)), ...proposed(call) };
    const { verdict, state, error } = decided<CallVerdict>(
      control.state,
      () => controller.protocol.judgeCall?.(facts, measured.scores, control.state, measured.rationales),
      { none: { kind: "pass" }, failed: { kind: "deny", reason: NOT_APPROVED } },
    );
    const { found, dollars } = await find(task, action, verdict, signals);
    const ending = callEnding(verdict, found);
    return {
      ...ending,
      control: controlledOf(action, call, measured, { verdict, state, error, found, dollars, ending }),
    };
  });
}

/** Let the protocol decide about a result, exactly as the model would get it. @throws the reason of the signal */
export async function controlResult(
  task: ControlledTask,
  call: Omit<JudgedCall, "digest">,
  result: string,
  control: CallControl,
): Promise<ControlDecision> {
  const judged = { ...call, digest: digestOf("result", { callId: call.callId, result }) };
  const action = { ...actionOf(task, "result", judged, control), result };
  const { controller } = task;
  return withinTime(controller, task.clock, task.signal, async (signals) => {
    const measured = await measure(controller, action, signals);
    const facts: ResultFacts = {
      ...sharedFacts(controller, action, callAt(call.callId)),
      ...proposed(call),
      result,
    };
    const { verdict, state, error } = decided<ResultVerdict>(
      control.state,
      () => controller.protocol.judgeResult?.(facts, measured.scores, control.state, measured.rationales),
      { none: { kind: "pass" }, failed: { kind: "deny", reason: NOT_APPROVED } },
    );
    const { found, dollars } = await find(task, action, verdict, signals);
    const ending = resultEnding(verdict, found);
    return {
      ...ending,
      control: controlledOf(action, judged, measured, { verdict, state, error, found, dollars, ending }),
    };
  });
}

const proposed = ({ tool, input }: ProposedCall): ProposedCall => ({ tool, input });

const actionOf = (
  { taskId }: ControlledTask,
  point: MonitoredAction["point"],
  call: JudgedCall,
  { author, conversation, calls }: CallControl,
): MonitoredAction => ({
  point,
  author,
  digest: call.digest,
  taskId,
  call: proposed(call),
  calls: calls.map(({ name: tool, input }) => ({ tool, input })),
  conversation,
});

const NOTHING_MEASURED: Measured = { scores: {}, rationales: {}, dollars: 0 };

function passed(action: MonitoredAction, { callId }: JudgedCall, { state }: CallControl): ControlDecision {
  const { verdict, texts } = callEnding({ kind: "pass" }, {});
  const record = recordOf(action, "pass", NOTHING_MEASURED, { callId });
  return { verdict, texts, control: { records: [record], state } };
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

interface Made {
  readonly verdict: CallVerdict | ResultVerdict;
  readonly state: Controlled["state"];
  readonly error?: string | undefined;
  readonly found: Found;
  readonly dollars?: number | undefined;
  readonly ending: Ending;
}

function controlledOf(
  action: MonitoredAction,
  { callId }: Pick<JudgedCall, "callId">,
  measured: Measured,
  { verdict, state, error, found: { audit }, dollars, ending: { shutDown } }: Made,
): Controlled {
  const record = recordOf(action, verdict.kind, measured, {
    callId,
    dollars,
    error,
    ...(audit !== undefined && { audit }),
  });
  return { records: [record], state, ...(shutDown !== undefined && { shutDown }) };
}
