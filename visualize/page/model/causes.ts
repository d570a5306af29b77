import type { TraceReader } from "../../trace/moment.ts";
import { nameOf } from "./event-text.ts";
import { callText, ruleText } from "./problem-text.ts";
import type { Problem } from "./problems.ts";
import type { SubtaskTree } from "./subtask-tree.ts";
import type { TraceIndex } from "./trace-index.ts";
import type { TurnCall } from "./turn-index.ts";

/** One cause of a problem: a step back towards its origin. */
export interface Cause {
  readonly text: string;
  /** Its event. */
  readonly seq?: number;
  /** The task that it happened in, if it is another one: at its record, or at its newest problem, or at its end. */
  readonly task?: string;
  readonly record?: number;
}

/** The most events that started each other. */
const STARTS_MAX = 3;

/**
 * The causes of a problem in its own task, the nearest first: the call, its permission, the clause's records, the request,
 * and the events that started each other.
 */
export function causesInTask(problem: Problem, trace: TraceReader, index: TraceIndex): readonly Cause[] {
  const { seq, callId, trouble } = problem;
  const causes = [
    ...(callId === undefined ? [] : causesOfCall(callId, seq, index)),
    ...(trouble.kind === "denial" ? recordsOf(trouble.source, index) : []),
    ...(trouble.kind === "request" ? earlierAttempts(trouble.attempts) : []),
    ...requestOf(callId === undefined ? seq : (index.problems.calls.get(callId)?.seq ?? seq), index),
  ];
  const known = new Set(causes.map((cause) => cause.seq));
  const starts =
    trouble.kind === "request" ? startsOf(seq, trace).filter((cause) => !known.has(cause.seq)) : [];
  return [...causes, ...starts];
}

/** The causes of a subtask in the task whose call started it. */
export const causesOfStart = ({ callId, seq }: TurnCall, index: TraceIndex): readonly Cause[] => [
  ...causesOfCall(callId, Number.POSITIVE_INFINITY, index),
  ...requestOf(seq, index),
];

/** The task that started a task as its subtask. */
export const originOf = (
  { problems: { parent } }: TraceIndex,
  { nameOf }: Pick<SubtaskTree, "nameOf">,
): readonly Cause[] => (parent === undefined ? [] : [{ text: `subtask of ${nameOf(parent)}`, task: parent }]);

/** The call, and its permission. */
function causesOfCall(callId: string, seq: number, index: TraceIndex): readonly Cause[] {
  const call = index.problems.calls.get(callId);
  const permission = index.permissions.get(callId);
  const isBefore = permission !== undefined && permission.seq <= seq;
  return [
    { text: callText(callId, index), ...(call !== undefined && { seq: call.seq }) },
    ...(isBefore ? [{ text: permissionText(permission.by), seq: permission.seq }] : []),
  ];
}

function permissionText(
  by: { readonly rule: string } | { readonly person: true; readonly program?: true },
): string {
  if ("rule" in by) return `allowed by ${ruleText(by.rule)}`;
  return by.program === true ? "allowed by the program" : "approved by a person";
}

type Source = Extract<Problem["trouble"], { readonly kind: "denial" }>["source"];

/** The records since which the clause of a policy does not hold. A record of another task has no event here. */
function recordsOf(source: Source, index: TraceIndex): readonly Cause[] {
  if (source.by !== "record" || !("since" in source.denial)) return [];
  return source.denial.since.map(({ seq: record, task }) => {
    const seq = task === undefined ? index.eventOf(record) : undefined;
    if (task !== undefined) return { text: `since record ${record} of ${task}`, task, record };
    return seq === undefined ? { text: `since record ${record}` } : { text: `since event ${seq}`, seq };
  });
}

/** The attempts after the first one: the problem is at the first. */
const earlierAttempts = (attempts: readonly { readonly seq: number }[]): readonly Cause[] =>
  attempts.slice(1, ATTEMPTS_MAX + 1).map(({ seq }, at) => ({ text: `attempt ${at + 2}`, seq }));

/** The most attempts that are listed. */
const ATTEMPTS_MAX = 6;

/** The newest request that was opened up to an event. */
function requestOf(seq: number, { problems: { requests } }: TraceIndex): readonly Cause[] {
  const position = requests.findLastIndex((opened) => opened <= seq);
  const opened = requests[position];
  return opened === undefined ? [] : [{ text: `request ${position + 1}`, seq: opened }];
}

/** The events that started each other's senders, back from an event. */
function startsOf(seq: number, trace: TraceReader): readonly Cause[] {
  const causes: Cause[] = [];
  let because = trace.event(seq).because;
  while (because !== undefined && causes.length < STARTS_MAX) {
    const event = trace.event(because);
    causes.push({ text: `started by ${nameOf(event)}`, seq: because });
    because = event.because;
  }
  return causes;
}
