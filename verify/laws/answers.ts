import { answerHandling, isAskType } from "../../machines/message/asks.ts";
import type { ClineMessage } from "../../machines/message/message.ts";
import type { AskEvent } from "../../machines/task/task.events.ts";
import { isChangedBy } from "./changes.ts";
import { type Law, topState, type View } from "./law.ts";

/** Whether the open ask is the request of a running call for input. */
const isRequest = ({ context }: View, { callId }: ClineMessage): boolean =>
  context.turn.calls.some((call) => call.callId === callId && call.phase === "running");

/** Whether the task accepts the answer: to the open ask that is last, or to a completion just closed. */
function accepts(view: View, { askId, answer: { kind }, elicited }: AskEvent): boolean {
  const last = view.context.log.at(-1);
  if (last === undefined || last.ts !== askId || last.type !== "ask" || last.partial === true) return false;
  if (last.closing !== undefined) return isReplyable(view, last) && kind === "text";
  // A request is answered by what fits it, and by nothing else.
  if (last.ask === "followup" && isRequest(view, last) && elicited === undefined) return false;
  return isAskType(last.ask) && answerHandling(last.ask, kind) === "accepted";
}

const isReplyable = (view: View, message: ClineMessage): boolean =>
  message.ask === "completion_result" && topState(view.state) === "idle";

/** L8: an answer that names another or a partial ask, or does not fit, changes nothing. */
export const answers: Law = {
  id: "L8",
  title: "an answer that names another ask, a partial ask, or does not fit changes nothing",
  violation(step) {
    const { event, before } = step;
    if (event.type !== "ask.answered" && event.type !== "ask.expired") return undefined;
    const expected = accepts(before, event);
    const changed = isChangedBy(step);
    if (expected === changed) return undefined;
    const about = `${event.answer.kind} to ${event.askId} in ${before.state}`;
    return expected
      ? `the answer ${about} was expected and changed nothing`
      : `the answer ${about} was not expected and was accepted`;
  },
};
