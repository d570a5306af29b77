import { ControlError } from "../../control/error.ts";
import type { Scores } from "../../control/monitor.ts";
import { monitorsAt, type Protocol } from "../../control/protocol.ts";
import {
  callEnding,
  type Ending,
  type Found,
  NOT_APPROVED,
  responseEnding,
  resultEnding,
} from "../../control/runtime/ending.ts";
import type { CallVerdict, ResponseVerdict, ResultVerdict } from "../../control/verdict.ts";
import { chancesOf } from "../../control/worst-case/draw.ts";
import { NO_USAGE } from "../../machines/task/request.ts";
import type { TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { CallIn, ToolCall } from "../../machines/tool-call/call.ts";
import type {
  Author,
  Controlled,
  ControlPoint,
  ControlRecord,
  Json,
} from "../../machines/tool-call/control.ts";
import type { ScoreCuts } from "../bounds.ts";
import { toolsOf } from "../tools.ts";
import type { Feature, Moment } from "./feature.ts";

/** A protocol decides about responses, calls and results: by each class of scores, and each finding of an auditor. */
export const control: Feature = {
  name: "control",
  parts: { control: ({ view: { context } }) => stateOf(context) },
  events: (moment) => {
    const { protocol, scoreCuts = {} } = moment.bounds;
    const { control: now, turn } = moment.view.context;
    if (protocol === undefined || now === null) return [];
    const controlled = { protocol, scoreCuts, state: now.state, moment };
    return [
      ...responseEvents(controlled),
      ...summaryEvents(controlled),
      ...turn.calls.flatMap((call) => callEvents(call, controlled)),
    ];
  },
};

/** A protocol, and the scores at which policies over time decide differently. */
interface Judging {
  readonly protocol: Protocol;
  readonly scoreCuts: ScoreCuts;
}

/** A protocol with its state in a moment. */
interface ControlledMoment extends Judging {
  readonly state: Json;
  readonly moment: Moment;
}

const stateOf = ({ control, turn }: TaskContext): unknown =>
  control === null
    ? 0
    : [
        control.state,
        control.shutDown !== undefined,
        turn.judged ?? "",
        turn.calls.map((call) => [call.author ?? "", "hooked" in call && call.hooked?.audits === true]),
      ];

/** The words of a monitor. They must appear nowhere but in the record. */
const RATIONALE = "the rationale of a monitor";

/** The cost of each decision. */
const DOLLARS = 0.01;

/** A class of scores of each monitor at a point: greater than the lower one, at most the upper one. */
type ScoreClasses = Readonly<Record<string, readonly [lower: number, upper: number]>>;

function classesAt(
  { protocol: { monitors }, scoreCuts }: Judging,
  point: ControlPoint,
): readonly ScoreClasses[] {
  return monitorsAt(monitors, point).reduce<readonly ScoreClasses[]>(
    (all, name) =>
      all.flatMap((classes) =>
        boundsOf([...(monitors[name]?.thresholds ?? []), ...cutsOf(scoreCuts, name)]).map((bounds) => ({
          ...classes,
          [name]: bounds,
        })),
      ),
    [{}],
  );
}

const cutsOf = (scoreCuts: ScoreCuts, monitor: string): readonly number[] =>
  (Object.hasOwn(scoreCuts, monitor) ? scoreCuts[monitor] : undefined) ?? [];

/** The number of cuts of policies over time that the score of each monitor is over. */
const sidesOf = (scoreCuts: ScoreCuts, scores: Scores): readonly number[] =>
  Object.entries(scores).map(
    ([monitor, score]) => cutsOf(scoreCuts, monitor).filter((cut) => score > cut).length,
  );

function boundsOf(cuts: readonly number[]): readonly (readonly [lower: number, upper: number])[] {
  const uppers = [...new Set([...cuts, 1])].sort((a, b) => a - b);
  return uppers.map((upper, index) => [uppers[index - 1] ?? 0, upper]);
}

/** The places in a class at which the decision is tried. It must be the same at all of them. */
const PROBES = [0.01, 0.25, 0.5, 0.75, 1];

const scoresIn = (classes: ScoreClasses, probe: number): Scores =>
  Object.fromEntries(
    Object.entries(classes).map(([name, [lower, upper]]) => [name, lower + probe * (upper - lower)]),
  );

interface Judged {
  readonly author: Author;
  readonly digest: string;
  readonly chance: number;
}

interface Decided<Verdict> {
  readonly scores: Scores;
  readonly verdict: Verdict;
  readonly state: Json;
}

/** The distinct decisions of a judge over all classes of scores and chances. Those that policies over time tell apart are distinct. */
function decisions<Verdict>(
  judging: Judging,
  point: ControlPoint,
  judge: (
    facts: Omit<Judged, "digest">,
    scores: Scores,
  ) => { readonly verdict: Verdict; readonly state: Json } | undefined,
): readonly Decided<Verdict>[] {
  const { protocol, scoreCuts } = judging;
  const found = new Map<string, Decided<Verdict>>();
  for (const classes of classesAt(judging, point))
    for (const { low, high } of chancesOf(protocol.chances)) {
      const tried = PROBES.flatMap((probe) =>
        [low, high].map((chance) => {
          const scores = scoresIn(classes, probe);
          return { scores, decision: judge({ author: "untrusted", chance }, scores) };
        }),
      );
      const [first] = tried;
      if (first?.decision === undefined) continue;
      const { verdict, state } = first.decision;
      const key = JSON.stringify([verdict, state]);
      const other = tried.find(
        ({ decision }) => JSON.stringify([decision?.verdict, decision?.state]) !== key,
      );
      if (other !== undefined) throw missingCut(protocol, point, first, other);
      const scores = scoresIn(classes, 1);
      const distinct = JSON.stringify([key, sidesOf(scoreCuts, scores)]);
      if (!found.has(distinct)) found.set(distinct, { scores, verdict, state });
    }
  return [...found.values()];
}

const missingCut = (
  { name }: Protocol,
  point: ControlPoint,
  ...[one, other]: readonly { readonly scores: Scores; readonly decision: unknown }[]
): ControlError =>
  new ControlError(
    "CUT_MISSING",
    `Protocol "${name}" at a ${point}: expected one decision for ${JSON.stringify(one?.scores)} and ${JSON.stringify(other?.scores)}, got ${JSON.stringify(one?.decision)} and ${JSON.stringify(other?.decision)}. Add the score to the thresholds of the monitor, or the drawn number to the chances.`,
  );

const recordOf = (
  point: ControlPoint,
  digest: string,
  { scores, verdict }: Pick<Decided<{ readonly kind: string }>, "scores" | "verdict">,
  more: Partial<ControlRecord> = {},
): ControlRecord => ({
  point,
  author: "untrusted",
  digest,
  verdict: verdict.kind,
  scores,
  rationales: { monitor: RATIONALE },
  dollars: DOLLARS,
  ...more,
});

/** All findings for a verdict: nothing, each result of an audit, a call of the trusted model. */
function findings({ kind }: { readonly kind: string }, { bounds }: Moment): readonly Found[] {
  if (kind === "audit") return [{}, { audit: "harmless" }, { audit: "attack" }];
  if (kind !== "replace") return [{}];
  const [first] = toolsOf(bounds);
  if (first === undefined) return [{}];
  const { name, ask } = first;
  return [{}, { trusted: { name, ask, input: { content: "trusted" } } }];
}

function callEvents(call: ToolCall, controlled: ControlledMoment): TaskEvent[] {
  if (call.phase === "hooking") return judgedCalls(call, controlled);
  return call.phase === "ended" ? judgedResults(call, controlled) : [];
}

/** The ends of hooks before a call: with each verdict of the protocol, and where it decided nothing about the call. */
function judgedCalls(call: CallIn<"hooking">, controlled: ControlledMoment): TaskEvent[] {
  const { protocol, state, moment } = controlled;
  const { callId, author, review, name, input } = call;
  const { digest } = review;
  if (protocol.judgeCall === undefined) return [];
  const end = { type: "call.hooked", at: moment.at, callId, digest, texts: [] } as const;
  const pass = { scores: {}, verdict: { kind: "pass" } };
  const allow = { kind: "allow" } as const;
  const of = (record: ControlRecord, more: Partial<Controlled> = {}): Controlled => ({
    records: [record],
    state,
    ...more,
  });
  if (author === "trusted")
    return [{ ...end, verdict: allow, control: of(recordOf("call", digest, pass, { callId, author })) }];
  const decided = decisions<CallVerdict>(controlled, "call", (facts, scores) =>
    protocol.judgeCall?.({ ...facts, digest, tool: name, input }, scores, state),
  );
  const other = { callId, digest: "of other arguments" };
  return [
    ...decided.flatMap((decision) =>
      findings(decision.verdict, moment).map((found): TaskEvent => {
        const ending = callEnding(decision.verdict, found);
        return {
          ...end,
          ...endingOf(ending),
          control: controlledBy("call", { callId, digest }, decision, found, ending),
        };
      }),
    ),
    { ...end, verdict: allow },
    { ...end, verdict: allow, control: of(recordOf("call", other.digest, pass, other)) },
    {
      ...end,
      verdict: allow,
      control: of(recordOf("call", digest, pass, { callId }), { shutDown: "it ends." }),
    },
  ];
}

/** The ends of hooks after a call. */
function judgedResults({ callId, name }: CallIn<"ended">, controlled: ControlledMoment): TaskEvent[] {
  const { protocol, state, moment } = controlled;
  if (protocol.judgeResult === undefined) return [];
  const digest = `the result of ${callId}`;
  const end = { type: "result.hooked", at: moment.at, callId, texts: [] } as const;
  const decided = decisions<ResultVerdict>(controlled, "result", (facts, scores) =>
    protocol.judgeResult?.({ ...facts, digest, tool: name, input: {}, result: "result" }, scores, state),
  );
  return [
    ...decided.flatMap((decision) =>
      findings(decision.verdict, moment).map((found): TaskEvent => {
        const ending = resultEnding(decision.verdict, found);
        return {
          ...end,
          ...endingOf(ending),
          control: controlledBy("result", { callId, digest }, decision, found, ending),
        };
      }),
    ),
    { ...end, verdict: { kind: "allow" } },
  ];
}

const endingOf = ({ verdict, texts }: Ending) => ({ verdict, texts });

function controlledBy(
  point: ControlPoint,
  { callId, digest }: { readonly callId: string; readonly digest: string },
  decision: Decided<{ readonly kind: string }>,
  { audit }: Found,
  { shutDown }: Ending,
): Controlled {
  const record = recordOf(point, digest, decision, { callId, ...(audit !== undefined && { audit }) });
  return { records: [record], state: decision.state, ...(shutDown !== undefined && { shutDown }) };
}

/** The maximum number of times that a response is sampled again in an exploration. */
const RESAMPLED_MAX = 3;

/** The verdicts about a response, before anything of it is shown. */
function responseEvents(controlled: ControlledMoment): TaskEvent[] {
  const { protocol, state, moment } = controlled;
  const { view, at } = moment;
  const { request: requestId } = view.context;
  if (protocol.judgeResponse === undefined) return [];
  const late = { type: "response.judged", at, requestId: -1, author: "untrusted", usage: NO_USAGE } as const;
  const pass = { scores: {}, verdict: { kind: "pass" } };
  const lateEvent: TaskEvent = { ...late, control: { records: [recordOf("response", "r", pass)], state } };
  if (view.state !== "streaming.receiving" || requestId === undefined) return [lateEvent];
  const verdicts = responseVerdicts(controlled);
  return [lateEvent, ...verdicts.map((verdict): TaskEvent => ({ ...late, requestId, ...verdict }))];
}

/** All verdicts about a response, with what follows. */
const responseVerdicts = (controlled: ControlledMoment) =>
  responses(controlled, controlled.state, [], []).flatMap(({ records, verdict, state: next }) =>
    findings(verdict, controlled.moment).map((found) => {
      const { audit } = found;
      const { shutDown, ...ending } = responseEnding(verdict, found);
      const all = records.map((record, index) =>
        audit !== undefined && index === records.length - 1 ? { ...record, audit } : record,
      );
      const control: Controlled = { records: all, state: next, ...(shutDown !== undefined && { shutDown }) };
      return { ...ending, control };
    }),
  );

/** The verdicts about a summary, which is a response without calls. */
function summaryEvents(controlled: ControlledMoment): TaskEvent[] {
  const { view, at } = controlled.moment;
  const { request: requestId } = view.context;
  if (controlled.protocol.judgeResponse === undefined) return [];
  if (view.state !== "streaming.condensing" || requestId === undefined) return [];
  return responseVerdicts(controlled).map(
    ({ control, withheld, told }): TaskEvent => ({
      type: "condense.finished",
      at,
      requestId,
      summary: "short",
      usage: NO_USAGE,
      control,
      ...(withheld !== undefined && { withheld }),
      ...(told !== undefined && { told }),
    }),
  );
}

interface JudgedSamples {
  readonly records: readonly ControlRecord[];
  readonly verdict: Exclude<ResponseVerdict, { kind: "resample" }>;
  readonly state: Json;
}

/** All ways to judge a response and its further samples. */
function responses(
  judging: Judging,
  state: Json,
  samples: readonly Scores[],
  records: readonly ControlRecord[],
): readonly JudgedSamples[] {
  const digest = `sample ${samples.length}`;
  return decisions<ResponseVerdict>(judging, "response", (facts, scores) =>
    judging.protocol.judgeResponse?.(
      { ...facts, digest, text: "", calls: [], samples: [...samples, scores] },
      scores,
      state,
    ),
  ).flatMap((decision) => {
    const { verdict, scores, state: next } = decision;
    const all = [...records, recordOf("response", digest, decision)];
    if (verdict.kind !== "resample") return [{ records: all, verdict, state: next }];
    if (records.length >= RESAMPLED_MAX) return [{ records: all, verdict: DENIED, state: next }];
    return responses(judging, next, [...samples, ...Array.from({ length: verdict.k }, () => scores)], all);
  });
}

const DENIED = { kind: "deny", reason: NOT_APPROVED } as const;
