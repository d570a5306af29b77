import { isAskType } from "../../../../machines/message/asks.ts";
import type { AskClosing, ClineMessage } from "../../../../machines/message/message.ts";
import { askView, isApproval } from "../../../../present/asks.ts";
import { callTitle } from "../../../../present/call-text.ts";
import { messageKind } from "../../../../present/message-kind.ts";
import { parseCall } from "../../../../present/parse-call.ts";
import { worksInBackground } from "../../model/background-subtasks.ts";
import type { CallOutcome, TraceIndex } from "../../model/trace-index.ts";
import { waitingStarts } from "../../model/waiting-starts.ts";
import { shortened } from "../../text/printable.ts";

/** The most characters of a call in a title: the body has all of it. */
const CALL_CHARS_MAX = 100;

/** The ends of a call, before its name. */
const ENDS: Readonly<Record<CallOutcome["kind"], string>> = {
  done: "Done",
  failed: "Failed",
  invalid: "Invalid",
  denied: "Denied",
  skipped: "Not run",
  interrupted: "Interrupted",
  uncertain: "Unknown result",
};

/** The closings of an ask whose call has no permission. */
const CLOSED: Readonly<Record<AskClosing, string>> = {
  answered: "Answered",
  withdrawn: "Withdrawn",
  expired: "Expired",
  ended: "Ended",
};

/**
 * The title of an ask that nobody has to answer now, at event `at`: what its call did, or the event that led to it. It is
 * never a question.
 */
export function askTitle(message: ClineMessage, position: number, index: TraceIndex, at: number): string {
  if (!isApproval(message.ask)) return eventOf(message) ?? messageKind(message, position).title;
  const call = parseCall(message);
  const isCommand = message.ask === "command";
  const name = call === undefined ? (isCommand ? "a command" : "a call") : callTitle(call);
  const text = shortened(name.split("\n", 1)[0] ?? "", CALL_CHARS_MAX);
  const phase = phaseOf(message, index, at);
  if (isCommand && phase === "Done") return `Ran ${text}`;
  return `${phase}: ${text}`;
}

function phaseOf({ callId = "", partial, closing }: ClineMessage, index: TraceIndex, at: number): string {
  const { outcomes, denials, permissions } = index;
  const outcome = outcomes.get(callId);
  if (worksInBackground(index, callId, at)) return "In the background";
  if (outcome !== undefined && outcome.seq <= at) return ENDS[outcome.kind];
  if (partial === true) return "In preparation";
  if ((denials.get(callId) ?? Number.POSITIVE_INFINITY) <= at) return ENDS.denied;
  if (waitingStarts(index, at).includes(callId)) return "Waits for its turn";
  if ((permissions.get(callId)?.seq ?? Number.POSITIVE_INFINITY) <= at) return "Running";
  return closing === undefined ? "Not answered" : CLOSED[closing];
}

/** The event that led to an ask; undefined for a kind whose title is no question. */
function eventOf(message: ClineMessage): string | undefined {
  const { ask } = message;
  if (!isAskType(ask)) return undefined;
  const { about, question } = askView(ask, message);
  return question === "" ? undefined : about.replace(/\.$/, "");
}
