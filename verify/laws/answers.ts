import { type Answer, answerHandling, type ClineMessage, isAskType } from "../../machines/message/index.ts";
import { isChangedBy } from "./changes.ts";
import { type Law, topState, type View } from "./law.ts";

/** Whether the task accepts the answer: to the open ask that is last, or to a completion just closed. */
function accepts(view: View, askId: number, kind: Answer["kind"]): boolean {
  const last = view.context.log.at(-1);
  if (last === undefined || last.ts !== askId || last.type !== "ask" || last.partial === true) return false;
  if (last.closing !== undefined) return isReplyable(view, last) && kind === "text";
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
    const expected = accepts(before, event.askId, event.answer.kind);
    const changed = isChangedBy(step);
    if (expected === changed) return undefined;
    const about = `${event.answer.kind} to ${event.askId} in ${before.state}`;
    return expected
      ? `the answer ${about} was expected and changed nothing`
      : `the answer ${about} was not expected and was accepted`;
  },
};
