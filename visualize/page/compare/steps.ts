import type { ClineMessage } from "../../../machines/message/message.ts";
import { requestInfo } from "../../../machines/message/request.ts";
import type { Outcome } from "../../../machines/tool-call/call.ts";
import { askLabel, formatSubject, isApproval } from "../../../present/asks.ts";
import { callLines, callTitle } from "../../../present/call-text.ts";
import type { Call } from "../../../present/calls.ts";
import { parseCall } from "../../../present/parse-call.ts";
import { formatSay, SAY_VIEWS } from "../../../present/says.ts";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import { askStatusOf } from "../panes/messages/ask-status.ts";

/** The kinds of steps. */
export type StepKind = "user" | "request" | "model" | "call" | "ask" | "result" | "task";

/** A step of a task: a request, a call, an ask, a result. Its texts have no times and no ids. */
export interface Step {
  readonly kind: StepKind;
  /** Its identity in another run: the kind, and the tool and target of a call. */
  readonly key: string;
  readonly title: string;
  /** The content, which is equal in a step that is the same. */
  readonly text: string;
  /** The event that it began with. */
  readonly seq: number;
  /** The cost of a request in US dollars. Null: unknown. Absent: it has none. */
  readonly cost?: number | null;
  /** The time that a request or a tool took, in milliseconds. */
  readonly ms?: number;
}

/** Messages that repeat what another step has, or that only the machine needs. */
const HIDDEN: ReadonlySet<string> = new Set([
  "reasoning",
  "checkpoint_saved",
  "command_output",
  "mcp_server_request_started",
  "mcp_server_response",
  "api_req_retry_delayed",
  "api_req_rate_limit_wait",
  "api_req_retried",
]);

/** The steps of a trace, in the order of their events. */
export function stepsOf(trace: TraceSnapshot): readonly Step[] {
  const { length, index } = trace;
  if (length === 0) return [];
  const { log } = trace.moment(length - 1).memory;
  const steps: Step[] = [];
  /** The calls that have a step, with their description. */
  const calls = new Map<string, Call>();
  let position = 0;
  for (const message of log) {
    const seq = index.appendedBy.get(message.ts);
    if (seq !== undefined) steps.push(...messageSteps(trace, message, { seq, position, calls }));
    position += 1;
  }
  const times = toolTimes(trace);
  for (const [callId, call] of calls) {
    const result = resultStep(trace, callId, call);
    const ms = times.get(callId);
    if (result !== undefined) steps.push(ms === undefined ? result : { ...result, ms });
  }
  return timed(
    trace,
    steps.sort((one, other) => one.seq - other.seq),
  );
}

/** The times that tools ran, by the ids of their calls. */
const toolTimes = ({ index }: TraceSnapshot): ReadonlyMap<string, number> =>
  new Map(
    index.timeline.bars.flatMap(({ kind, subject, from, to }) =>
      kind === "tool" && to !== undefined ? [[subject, to - from] as const] : [],
    ),
  );

interface Place {
  readonly seq: number;
  readonly position: number;
  readonly calls: Map<string, Call>;
}

function messageSteps(
  trace: TraceSnapshot,
  message: ClineMessage,
  { seq, position, calls }: Place,
): readonly Step[] {
  const { type, ask = "", say = "", callId } = message;
  if (HIDDEN.has(type === "ask" ? ask : say)) return [];
  const call = callId !== undefined || isApproval(ask) ? parseCall(message) : undefined;
  if (call === undefined)
    return [type === "ask" ? askStep(trace, message, seq) : sayStep(message, seq, position)];
  const isBegun = callId !== undefined && calls.has(callId);
  if (callId !== undefined && !isBegun) calls.set(callId, call);
  return [
    ...(isBegun ? [] : [callStep(call, seq)]),
    ...(type === "ask" ? [askStep(trace, message, seq, call)] : []),
  ];
}

function sayStep(message: ClineMessage, seq: number, position: number): Step {
  const { say = "" } = message;
  const { title, author } = viewOf(say, position);
  const kind = author === "tool" ? "task" : author;
  const info = requestInfo(message);
  if (info === undefined) return { kind, key: `${kind} ${say}`, title, text: formatSay(message), seq };
  const { cost, cancelReason = "", streamingFailedMessage: text = cancelReason } = info;
  return { kind: "request", key: "request", title, text, seq, ...(cost !== undefined && { cost }) };
}

const viewOf = (say: string, position: number) =>
  position === 0
    ? ({ title: "Task", author: "user" } as const)
    : (Object.entries(SAY_VIEWS).find(([name]) => name === say)?.[1] ?? { title: say, author: "task" });

const callStep = (call: Call, seq: number): Step => ({
  kind: "call",
  key: `call ${keyOf(call)}`,
  title: callTitle(call),
  text: callLines(call).join("\n"),
  seq,
});

/** The tool and the target of a call. */
const keyOf = ({ tool, title, paths }: Call): string =>
  JSON.stringify([tool, paths.length > 0 ? paths : title.filter(({ kind }) => kind === "value")]);

function askStep(trace: TraceSnapshot, message: ClineMessage, seq: number, call?: Call): Step {
  const { index, length } = trace;
  const { ask = "" } = message;
  const status = askStatusOf(message, { isLast: false, hasEnded: false, index, at: length - 1 })?.text ?? "";
  const content = call === undefined ? formatSubject(message) : "";
  return {
    kind: "ask",
    key: `ask ${ask} ${call === undefined ? "" : keyOf(call)}`,
    title: call === undefined ? askLabel(ask) : "Asked",
    text: [status === "not closed" ? "open" : status, content].filter((part) => part !== "").join("\n"),
    seq,
  };
}

function resultStep(trace: TraceSnapshot, callId: string, call: Call): Step | undefined {
  const outcome = trace.index.outcomes.get(callId);
  if (outcome === undefined) return undefined;
  const { seq, kind } = outcome;
  const { record } = trace.event(seq);
  const settled =
    record.kind === "commit" ? record.calls.find((recorded) => recorded.callId === callId) : undefined;
  const content = settled !== undefined && "outcome" in settled ? settled.outcome.content : [];
  return {
    kind: "result",
    key: `result ${keyOf(call)}`,
    title: `Result: ${kind}`,
    text: content.map(textOf).join("\n"),
    seq,
  };
}

const textOf = (block: Outcome["content"][number]): string =>
  block.type === "text" ? block.text : `[${block.type}]`;

/** The steps, with the time from each request to the end of its response. */
function timed({ index }: TraceSnapshot, steps: readonly Step[]): readonly Step[] {
  const requests = steps.filter(({ kind }) => kind === "request");
  const times = new Map<number, number>();
  let position = 0;
  for (const { kind, seq, from, to } of index.timeline.bars) {
    if (to === undefined || (kind !== "request" && kind !== "response")) continue;
    while ((requests[position + 1]?.seq ?? Number.POSITIVE_INFINITY) <= seq) position += 1;
    const request = requests[position]?.seq;
    if (request !== undefined) times.set(request, (times.get(request) ?? 0) + to - from);
  }
  return steps.map((step) => {
    const ms = step.kind === "request" ? times.get(step.seq) : undefined;
    return ms === undefined ? step : { ...step, ms };
  });
}
