import { isRequestOpen, isRequestRow } from "../../machines/message/index.ts";
import { changedAnything } from "./changes.ts";
import type { Law, Step } from "./law.ts";

/** Whether the event comes from an actor that lives and was started for what the event names. */
function isFromTheLiving({ before, event }: Step): boolean {
  const { alive, context } = before;
  if ("requestId" in event) {
    const open = context.log.toArray().findLast((row) => isRequestRow(row));
    const isCurrent = open?.ts === event.requestId && isRequestOpen(open);
    return isCurrent && alive.has(event.type.startsWith("context.") ? "context" : "llm");
  }
  switch (event.type) {
    case "call.reviewed":
      return alive.has(`review:${event.callId}`);
    case "tool.output":
    case "tool.finished":
    case "tool.failed":
      return alive.has(`tool:${event.callId}`);
    case "timer.fired":
      return alive.has("timer") && namesTheWait(before.context, event.timerId);
    case "task.opened":
      return alive.has("opening");
    default:
      return true;
  }
}

const namesTheWait = ({ request, retryAt }: Step["before"]["context"], timerId: string): boolean =>
  timerId.endsWith(`:${request ?? retryAt}`);

/** L10: no event of an actor that was stopped, or of a foreign one, changes anything. */
export const stale: Law = {
  id: "L10",
  title: "no event from a stopped actor changes anything",
  violation: (step) =>
    !isFromTheLiving(step) && changedAnything(step)
      ? `${step.event.type} came from nobody alive in ${step.before.state} and was taken`
      : undefined,
};
