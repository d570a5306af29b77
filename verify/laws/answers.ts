import { type Answer, answerHandling, type ClineMessage, isAskType } from "../../machines/message/index.ts";
import { isChangedBy } from "./changes.ts";
import { type Law, topState, type View } from "./law.ts";

/** The answers that a task takes now: to its last row, if that is an open ask, or a completion just closed. */
function takes(view: View, askId: number, kind: Answer["kind"]): boolean {
  const last = view.context.log.at(-1);
  if (last === undefined || last.ts !== askId || last.type !== "ask" || last.partial === true) return false;
  if (last.closing !== undefined) return isReplyable(view, last) && kind === "text";
  return isAskType(last.ask) && answerHandling(last.ask, kind) === "accepted";
}

const isReplyable = (view: View, row: ClineMessage): boolean =>
  row.ask === "completion_result" && topState(view.state) === "idle";

/** L8: an answer that names another ask, a partial one, or does not fit its ask, changes nothing. */
export const answers: Law = {
  id: "L8",
  title: "an answer that names another ask, a partial ask, or does not fit changes nothing",
  violation(step) {
    const { event, before } = step;
    if (event.type !== "ask.answered" && event.type !== "ask.expired") return undefined;
    const taken = takes(before, event.askId, event.answer.kind);
    const changed = isChangedBy(step);
    if (taken === changed) return undefined;
    const about = `${event.answer.kind} to ${event.askId} in ${before.state}`;
    return taken
      ? `the answer ${about} was due and changed nothing`
      : `the answer ${about} was not due and was taken`;
  },
};
