import type { ResponseFacts } from "../../control/facts.ts";
import type { MonitoredAction, TrustedAction } from "../../control/runtime/action.ts";
import type { Controller } from "../../control/runtime/controller.ts";
import { responseEnding } from "../../control/runtime/ending.ts";
import type { ResponseVerdict } from "../../control/verdict.ts";
import type { Conversation } from "../../machines/conversation/conversation.ts";
import { addUsage, NO_USAGE } from "../../machines/task/request.ts";
import type { LlmEvent, ResponseJudged, Usage } from "../../machines/task/task.events.ts";
import type { Controlled, ControlRecord, Json } from "../../machines/tool-call/control.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Untimed } from "../protocol/released.ts";
import { digestOf } from "../review/digest.ts";
import {
  attempt,
  audited,
  DENIED,
  decided,
  proposedIn,
  recordOf,
  sampleAt,
  sharedFacts,
  withinTime,
} from "./decision.ts";
import { type DecisionSignals, type Measured, measure } from "./measure.ts";

type Finished = Extract<LlmEvent, { type: "llm.finished" }>;

/** A whole response, as its events. */
export interface WholeResponse {
  readonly events: readonly Untimed<LlmEvent>[];
  readonly finished: Untimed<Finished>;
}

/** A request whose response a protocol judges. */
export interface ControlledRequest {
  readonly taskId: string;
  readonly controller: Controller;
  readonly clock: Clock;
  /** Aborts when the task is cancelled. */
  readonly signal: AbortSignal;
  readonly requestId: number;
  readonly conversation: Conversation;
  readonly state: Json;
  /** Samples one more response from the same context. */
  readonly sample: () => Promise<WholeResponse>;
  /** The events of a response with this content. */
  readonly compose: (action: Pick<MonitoredAction, "text" | "calls">) => WholeResponse;
}

/** Default of `Controller.samplesMax`. */
const SAMPLES_MAX = 64;

interface Sample extends WholeResponse {
  readonly action: MonitoredAction;
  readonly measured: Measured;
}

/** The verdict about a response, with what follows of it. */
export type JudgedResponse = readonly (Untimed<ResponseJudged> | Untimed<LlmEvent>)[];

/**
 * Sample a response, let the protocol decide about it, and sample again as often as it says. The first event is the verdict:
 * nothing of a response comes before it. @throws what sampling throws; the reason of the signal
 */
export async function controlResponse(request: ControlledRequest): Promise<JudgedResponse> {
  const { samplesMax = SAMPLES_MAX } = request.controller;
  let judged = await sampled(request);
  const samples = [judged];
  const records: ControlRecord[] = [];
  let { state } = request;
  for (;;) {
    const { verdict, error, state: next } = judge(request, judged, samples, state);
    state = next;
    const k = verdict.kind === "resample" ? Math.min(verdict.k, samplesMax - samples.length) : 0;
    if (verdict.kind !== "resample" || !(k >= 1)) {
      const made = { judged, samples, records, state, error };
      return follow(request, made, verdict.kind === "resample" ? DENIED : verdict);
    }
    records.push(recordOf(judged.action, verdict.kind, { ...judged.measured, dollars: 0 }));
    const more = await Promise.all(Array.from({ length: k }, () => sampled(request)));
    samples.push(...more);
    judged = (verdict.choose === "newest" ? more.at(-1) : leastSuspicious(samples)) ?? judged;
  }
}

/** One more sample, with its scores. Only the monitors have a time limit: the model has limits of its own. */
async function sampled(request: ControlledRequest): Promise<Sample> {
  const whole = await request.sample();
  const action = actionOf(request, whole);
  const measured = await withinTime(request, (signals) => measure(request.controller, action, signals));
  return { ...whole, action, measured };
}

function actionOf(
  { taskId, conversation }: ControlledRequest,
  { finished: { content } }: WholeResponse,
): MonitoredAction {
  return {
    point: "response",
    author: "untrusted",
    digest: digestOf("response", { content }),
    taskId,
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    thinking: content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : [])).join("\n"),
    calls: proposedIn(content),
    conversation,
  };
}

function judge(
  { controller }: ControlledRequest,
  { action, measured: { scores, rationales } }: Sample,
  samples: readonly Sample[],
  state: Json,
) {
  const facts: ResponseFacts = {
    ...sharedFacts(controller, action, sampleAt(samples.length)),
    text: action.text ?? "",
    calls: action.calls,
    samples: samples.map((sample) => sample.measured.scores),
  };
  return decided<ResponseVerdict>(state, () =>
    controller.protocol.judgeResponse?.(facts, scores, state, rationales),
  );
}

const suspicion = ({ measured: { scores } }: Sample): number => Math.max(0, ...Object.values(scores));

/** The oldest of the samples whose greatest score is smallest. */
const leastSuspicious = (samples: readonly Sample[]): Sample | undefined =>
  [...samples].sort((a, b) => suspicion(a) - suspicion(b))[0];

interface Made {
  readonly judged: Sample;
  readonly samples: readonly Sample[];
  readonly records: readonly ControlRecord[];
  readonly state: Json;
  readonly error: string | undefined;
}

/** The work for a verdict before it takes effect. */
interface Done {
  readonly audit?: ControlRecord["audit"];
  readonly trusted?: TrustedAction | undefined;
}

/** The events that follow the last verdict. */
async function follow(
  request: ControlledRequest,
  made: Made,
  verdict: Exclude<ResponseVerdict, { kind: "resample" }>,
): Promise<JudgedResponse> {
  const { judged, samples } = made;
  const done = await withinTime(request, (signals) => doFor(request, made, verdict, signals));
  const { shutDown, ...ending } = responseEnding(verdict, done);
  const follows = ending.withheld === undefined ? responseAfter(request, judged, verdict, done) : undefined;
  const unused = samples.filter((sample) => sample !== follows);
  const event: Untimed<ResponseJudged> = {
    type: "response.judged",
    requestId: request.requestId,
    control: controlledOf(made, verdict, done, shutDown),
    author: "untrusted",
    usage: usageOf(unused),
    ...ending,
  };
  return [event, ...(follows?.events ?? [])];
}

/** The response that follows a verdict: the judged one, unless another was made in its place. */
function responseAfter(
  { compose }: ControlledRequest,
  judged: Sample,
  verdict: ResponseVerdict,
  { trusted }: Done,
): WholeResponse {
  if (verdict.kind === "modify") return compose({ text: verdict.text, calls: judged.action.calls });
  return trusted === undefined ? judged : compose(contentOf(trusted));
}

/** An audit sees all samples: an attack in one is an attack. */
async function doFor(
  { controller: { auditor, trusted } }: ControlledRequest,
  { judged, samples }: Made,
  verdict: ResponseVerdict,
  signals: DecisionSignals,
): Promise<Done> {
  const scope = { signal: signals.ended };
  if (verdict.kind === "audit" && auditor !== undefined) {
    const found = await Promise.all(
      samples.map(({ action }) => audited(signals, () => auditor(action, scope))),
    );
    if (found.includes("attack")) return { audit: "attack" };
    return found.includes(undefined) ? {} : { audit: "harmless" };
  }
  if (verdict.kind !== "replace" || trusted === undefined) return {};
  const written = await attempt(signals, () => trusted(judged.action, verdict.from, scope));
  const isEmpty = written === undefined || (written.call === undefined && (written.text ?? "").trim() === "");
  return isEmpty ? {} : { trusted: written };
}

const contentOf = ({ text, call }: TrustedAction): Pick<MonitoredAction, "text" | "calls"> => ({
  ...(text !== undefined && { text }),
  calls: call === undefined ? [] : [call],
});

const usageOf = (samples: readonly Sample[]): Usage =>
  samples.reduce((sum, { finished: { usage } }) => addUsage(sum, usage), NO_USAGE);

/** The records of all decisions. The monitors of all samples are paid with the last one. */
function controlledOf(
  { judged, samples, records, state, error }: Made,
  verdict: ResponseVerdict,
  { audit, trusted }: Done,
  shutDown: string | undefined,
): Controlled {
  const dollars = samples.reduce((sum, { measured }) => sum + measured.dollars, 0);
  const measured = { ...judged.measured, dollars };
  const last = recordOf(judged.action, verdict.kind, measured, { error, audit, dollars: trusted?.dollars });
  return { records: [...records, last], state, ...(shutDown !== undefined && { shutDown }) };
}
