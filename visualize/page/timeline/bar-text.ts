import { positionOf } from "../../../machines/message/log.ts";
import { askLabel, formatSubject } from "../../../present/asks.ts";
import { oneLine } from "../../../present/one-line.ts";
import { duration } from "../model/format.ts";
import { callText } from "../model/problem-text.ts";
import { STATE_LABELS } from "../model/state.ts";
import type { TraceSnapshot } from "../model/trace-snapshot.ts";
import { shortened } from "../text/printable.ts";
import type { Bar, BarLane, QuietReason } from "./lanes.ts";
import type { Fold } from "./time-scale.ts";

const CHARS_MAX = 80;

/** The words before the activity of a bar where its lane is not shown. */
const BEFORE: Partial<Record<BarLane, string>> = { tools: "tool ", state: "state ", subtasks: "subtask " };

/** The activity of a bar in words. */
export const barText = (bar: Bar, trace: TraceSnapshot): string =>
  `${BEFORE[bar.lane] ?? ""}${barLabel(bar, trace)}`;

/** The activity of a bar in words, in its lane: that shows whether it is a tool or a state. */
export const barLabel = (bar: Bar, trace: TraceSnapshot): string =>
  shortened(oneLine(labelOf(bar, trace)), CHARS_MAX);

function labelOf(bar: Bar, trace: TraceSnapshot): string {
  const { kind, subject, seq } = bar;
  switch (kind) {
    case "request":
      return "model, before its first output";
    case "response":
      return "model responds";
    case "condense":
      return "model condenses the conversation";
    case "retry":
      return "wait before a retry";
    case "pacing":
      return "wait for the rate limit";
    case "tool":
      return toolText(trace.index.toolNames.get(subject) ?? "", callText(subject, trace.index));
    case "subtask":
      return subtaskText(bar);
    case "ask":
      return `wait for you: ${askText(Number(subject), seq, trace)}`;
    case "review":
      return `check of ${callText(subject, trace.index)}`;
    case "hook":
      return trace.index.toolNames.has(subject) ? `hook at ${callText(subject, trace.index)}` : "hook";
    case "opening":
      return "opening of the task";
    case "context":
      return "preparation of the request";
    case "checkpoint":
      return "checkpoint";
    default:
      return STATE_LABELS[kind];
  }
}

/** The number and title of a subtask, and its status. */
const subtaskText = ({ subject, title = subject, status }: Bar): string =>
  status === undefined ? title : `${title} (${status})`;

const toolText = (name: string, call: string): string => (call.startsWith(name) ? call : `${name}: ${call}`);

function askText(askId: number, seq: number, trace: TraceSnapshot): string {
  const { log } = trace.moment(seq).memory;
  const message = log.at(positionOf(log, askId));
  if (message?.ts !== askId) return "an answer";
  return formatSubject(message) || askLabel(message.ask ?? "", message);
}

/** How long a bar lasts, in words. An open one lasts until `end`. */
export const barDuration = ({ from, to }: Bar, end: number): string =>
  to === undefined ? `${duration(Math.max(0, end - from))} so far` : duration(to - from);

const REASONS: Readonly<Record<QuietReason, string>> = {
  person: "waiting for you",
  retry: "before a retry",
  pacing: "for the rate limit",
  rest: "at rest",
  gone: "without a process",
};

/** The two parts of a fold's label: its length, and its reason. */
export const foldText = ({ reason, from, to }: Fold): readonly [string, string] => [
  duration(to - from),
  REASONS[reason],
];

/** The scores and verdicts that an event records. */
export function verdictText(seq: number, trace: TraceSnapshot): string {
  const { record } = trace.event(seq);
  if (record.kind !== "commit") return "";
  return (record.control ?? [])
    .map(({ point, verdict, scores, audit, error }) =>
      [
        `${point}: ${verdict}`,
        ...Object.entries(scores).map(([name, score]) => `${name} ${score.toFixed(2)}`),
        ...(audit === undefined ? [] : [`audit: ${audit}`]),
        ...(error === undefined ? [] : [`error: ${oneLine(error)}`]),
      ].join(", "),
    )
    .map((line) => shortened(line, CHARS_MAX))
    .join("; ");
}
