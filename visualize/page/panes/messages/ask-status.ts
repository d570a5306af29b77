import type { AskClosing, ClineMessage } from "../../../../machines/message/message.ts";
import type { Tone } from "../../../../present/kind.ts";
import { ruleText } from "../../model/problem-text.ts";
import type { TraceIndex } from "../../model/trace-index.ts";

/** The status of an ask. */
export interface AskStatus {
  readonly text: string;
  /** Whether a person has to answer it now. */
  readonly isOpen?: true;
  readonly tone: Tone;
}

const ANSWERS: ReadonlyMap<string, AskStatus> = new Map([
  ["yes", { text: "answered: yes", tone: "good" }],
  ["no", { text: "answered: no", tone: "bad" }],
  ["text", { text: "answered with text", tone: "good" }],
]);

const CLOSINGS: Readonly<Record<Exclude<AskClosing, "answered" | "expired">, AskStatus>> = {
  withdrawn: { text: "withdrawn", tone: "quiet" },
  ended: { text: "ended with its command", tone: "quiet" },
};

const DENIED: AskStatus = { text: "denied", tone: "bad" };

export interface AskPlace {
  /** Whether it is the last message. */
  readonly isLast: boolean;
  /** Whether the process of the task ended with it. */
  readonly hasEnded: boolean;
  readonly index: TraceIndex;
  readonly at: number;
}

/** Whether an ask is partial, open, or how it was closed at event `at` (L8), with its answer if the trace has it. */
export function askStatusOf(
  message: ClineMessage,
  { isLast, hasEnded, index, at }: AskPlace,
): AskStatus | undefined {
  const { type, closing, partial, isAnswered, callId = "" } = message;
  if (type !== "ask") return undefined;
  if (closing === "withdrawn" && (index.denials.get(callId) ?? Number.POSITIVE_INFINITY) <= at) return DENIED;
  if (closing === "answered") return answered(message, index);
  if (closing === "expired") return expired(message, index);
  if (closing !== undefined) return CLOSINGS[closing];
  if (partial === true) return { text: "partial: can't be answered yet", tone: "quiet" };
  if (isAnswered === true) return answered(message, index);
  if (isLast && hasEnded) return { text: "not answered: the process ended", tone: "warn" };
  if (isLast) return { text: "waiting for an answer", tone: "ask", isOpen: true };
  return { text: "not closed", tone: "warn" };
}

/** An ask that a policy answered, at once or at its deadline. */
function expired({ ts }: ClineMessage, { answers }: TraceIndex): AskStatus {
  const { kind = "", rule } = answers.get(ts) ?? {};
  if (rule === undefined) return { text: "expired: a policy closed it", tone: "warn" };
  const { text, tone } = ANSWERS.get(kind) ?? { text: "answered", tone: "warn" };
  return { text: `${text} by ${ruleText(rule)}`, tone };
}

function answered({ ts, callId = "" }: ClineMessage, { answers, permissions }: TraceIndex): AskStatus {
  const by = permissions.get(callId)?.by;
  if (by !== undefined && "rule" in by) return { text: `allowed by ${ruleText(by.rule)}`, tone: "good" };
  if (by?.program === true) return { text: "allowed by the program", tone: "good" };
  const kind = answers.get(ts)?.kind ?? "";
  return ANSWERS.get(kind) ?? { text: "answered", tone: "good" };
}
