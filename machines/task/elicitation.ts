import { assertEvent } from "xstate";
import { type ElicitationAnswer, elicitationText } from "../message/elicitation.ts";
import { closeAnsweredAsk, closeAsk, postAsk } from "./asks.ts";
import { showApproval, toolActorId } from "./calls.ts";
import type { Change } from "./change.ts";
import { BrokenInvariantError } from "./errors.ts";
import type { TaskEvent } from "./task.events.ts";
import { callIn } from "./turn.ts";

/** Asks a person for what the running call requests. A question, so that every reader of a log knows who must answer. */
export function askForInput(change: Change): void {
  const { event } = change;
  assertEvent(event, "tool.elicitation.requested");
  const { callId, elicitationId, request } = event;
  postAsk(change, "followup", elicitationText(request), {
    callId,
    elicitation: { id: elicitationId, request },
  });
}

/** The answer to the request of a call, as an event gives it. */
export function elicitedIn(event: TaskEvent): ElicitationAnswer | undefined {
  assertEvent(event, ["ask.answered", "ask.expired"]);
  return event.elicited;
}

/** The words of the log for an answer. The values of a form belong to the call alone. */
const SHOWN: Readonly<Record<ElicitationAnswer["action"], string>> = {
  accept: "(accepted)",
  decline: "(declined)",
  cancel: "(cancelled)",
};

/** Sends the answer to the call, which continues. */
export function applyInput(change: Change): void {
  const { callId = "", elicitationId } = change.context.ask ?? {};
  const elicited = elicitedIn(change.event);
  if (elicited === undefined || elicitationId === undefined)
    throw new BrokenInvariantError("an answer to no request for input was accepted");
  closeAnsweredAsk(change);
  change.append({ type: "say", say: "user_feedback", text: SHOWN[elicited.action], callId });
  change.send(toolActorId(callId), {
    type: "tool.elicitation.answered",
    elicitationId,
    answer: elicited,
  });
}

/** Withdraws the request of a call that ended without the answer. */
export function withdrawElicitation(change: Change): void {
  const call = callIn(change.context, change.context.ask?.callId ?? "", "running");
  if (call === undefined) throw new BrokenInvariantError("input is requested and no call runs");
  closeAsk(change, "withdrawn");
  showApproval(change, call);
}
