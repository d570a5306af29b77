import type { ProposedCall, ResponseFacts } from "../../control/facts.ts";
import type { MonitoredAction, TrustedAction } from "../../control/runtime/action.ts";
import type { Controller } from "../../control/runtime/controller.ts";
import { ATTACK_FOUND } from "../../control/runtime/ending.ts";
import type { ResponseVerdict } from "../../control/verdict.ts";
import type { Conversation } from "../../machines/conversation/conversation.ts";
import { addUsage, NO_USAGE } from "../../machines/task/request.ts";
import type { LlmEvent, ResponseJudged, Usage } from "../../machines/task/task.events.ts";
import type { Controlled, ControlRecord } from "../../machines/tool-call/control.ts";
import type { Json } from "../../machines/tool-call/json.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Untimed } from "../protocol/released.ts";
import { digestOf } from "../review/digest.ts";
import { attempt, audited, decided, recordOf, sampleAt, sharedFacts, withinTime } from "./decision.ts";
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

/** The maximum number of responses that are sampled for one request. */
const SAMPLES_MAX = 64;
const NOT_APPROVED = "it was not approved.";

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
  const first = await request.sample();
  return withinTime(request.controller, request.clock, request.signal, async (signals) => {
    const samples = [await measured(request, first, signals)];
    const records: ControlRecord[] = [];
    let state = request.state;
    let judged = samples[0];
    for (;;) {
      if (judged === undefined) throw new Error("Expected a sample, got none.");
      const decision = judge(request, judged, samples, state);
      state = decision.state;
      const { verdict, error } = decision;
      if (verdict.kind !== "resample" || samples.length >= SAMPLES_MAX) {
        const made = { judged, samples, records, state, error };
        return follow(request, made, verdict.kind === "resample" ? DENIAL : verdict, signals);
      }
      records.push(recordOf(judged.action, verdict.kind, judged.measured, {}));
      const k = Math.min(Math.max(1, Math.trunc(verdict.k)), SAMPLES_MAX - samples.length);
      const more = await Promise.all(
        Array.from({ length: k }, async () => measured(request, await request.sample(), signals)),
      );
      samples.push(...more);
      judged = verdict.choose === "newest" ? samples.at(-1) : leastSuspicious(samples);
    }
  });
}

const DENIAL = { kind: "deny", reason: NOT_APPROVED } as const;

const measured = async (
  request: ControlledRequest,
  whole: WholeResponse,
  signals: DecisionSignals,
): Promise<Sample> => {
  const action = actionOf(request, whole);
  return { ...whole, action, measured: await measure(request.controller, action, signals) };
};

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
    calls: content.flatMap((block): ProposedCall[] =>
      block.type === "tool_use" ? [{ tool: block.name, input: block.input }] : [],
    ),
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
  return decided<ResponseVerdict>(
    state,
    () => controller.protocol.judgeResponse?.(facts, scores, state, rationales),
    { none: { kind: "pass" }, failed: DENIAL },
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
  signals: DecisionSignals,
): Promise<JudgedResponse> {
  const { judged, samples } = made;
  const done = await doFor(request, made, verdict, signals);
  const others = samples.filter((sample) => sample !== judged);
  const end = (
    follows: WholeResponse | undefined,
    more: Partial<ResponseJudged>,
    shutDown?: string,
  ): JudgedResponse => {
    const isJudged = follows === judged;
    const event: Untimed<ResponseJudged> = {
      type: "response.judged",
      requestId: request.requestId,
      control: controlledOf(made, verdict, done, shutDown),
      author: "untrusted",
      usage: usageOf(isJudged ? others : samples),
      ...more,
    };
    return follows === undefined ? [event] : [event, ...follows.events];
  };
  const withhold = (withheld: string, shutDown?: string): JudgedResponse =>
    end(undefined, { withheld }, shutDown);
  switch (verdict.kind) {
    case "pass":
      return end(judged, {});
    case "deny":
      return withhold(verdict.reason);
    case "modify":
      return end(request.compose({ text: verdict.text, calls: judged.action.calls }), {
        told: verdict.reason,
      });
    case "replace":
      return done.trusted === undefined
        ? withhold(NOT_APPROVED)
        : end(request.compose(contentOf(done.trusted)), { author: "trusted" });
    case "audit":
      if (done.audit === "harmless") return end(judged, {});
      return done.audit === undefined
        ? withhold("it could not be audited.")
        : withhold("the task was ended.", ATTACK_FOUND);
    case "shutDown":
      return withhold("the task was ended.", verdict.reason);
  }
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

/** The records of all decisions. Each sample's monitors are paid once, with the last record. */
function controlledOf(
  { judged, samples, records, state, error }: Made,
  verdict: ResponseVerdict,
  { audit, trusted }: Done,
  shutDown: string | undefined,
): Controlled {
  const dollars = samples.reduce((sum, { measured }) => sum + measured.dollars, trusted?.dollars ?? 0);
  const last = recordOf(
    judged.action,
    verdict.kind,
    { ...judged.measured, dollars },
    {
      error,
      ...(audit !== undefined && { audit }),
    },
  );
  const free = records.map(({ dollars: _, ...record }) => record);
  return { records: [...free, last], state, ...(shutDown !== undefined && { shutDown }) };
}
