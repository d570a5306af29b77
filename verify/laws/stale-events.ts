import type { ToolCall } from "../../machines/tool-call/index.ts";
import { isChangedBy } from "./changes.ts";
import type { Law, Step } from "./law.ts";

/** Whether the event comes from an actor that lives and was started for what the event names. */
function isFromTheLiving({ before, event }: Step): boolean {
  const { activeActors, context, logFacts } = before;
  if ("requestId" in event) {
    const { newestRequest, openRequests } = logFacts;
    const isCurrent =
      openRequests.includes(newestRequest) && context.log.at(newestRequest)?.ts === event.requestId;
    return isCurrent && activeActors.has(event.type.startsWith("context.") ? "context" : "llm");
  }
  switch (event.type) {
    case "call.reviewed":
      return activeActors.has(`review:${event.callId}`);
    case "tool.output":
    case "tool.finished":
    case "tool.failed":
      return activeActors.has(`tool:${event.callId}`);
    case "timer.fired":
      return activeActors.has("timer") && namesTheWait(before.context, event.timerId);
    case "checkpoint.saved":
    case "checkpoint.skipped":
      return (
        activeActors.has("checkpoint") && context.turn.calls.some((call) => isAwaited(call, event.callId))
      );
    case "subtask.ended":
      return activeActors.has(`subtask:${event.callId}`);
    case "task.opened":
      return activeActors.has("opening");
    default:
      return true;
  }
}

/** The snapshot is for the first call that is permitted and has not begun. */
const isAwaited = ({ phase, callId }: ToolCall, awaited: string): boolean =>
  phase === "approved" && callId === awaited;

const namesTheWait = ({ request, retryAt }: Step["before"]["context"], timerId: string): boolean =>
  timerId.endsWith(`:${request ?? retryAt}`);

/** L10: no event of an actor that was stopped, or of a foreign one, changes anything. */
export const stale: Law = {
  id: "L10",
  title: "no event from a stopped actor changes anything",
  violation: (step) =>
    isChangedBy(step) && !isFromTheLiving(step)
      ? `${step.event.type} came from nobody alive in ${step.before.state} and was taken`
      : undefined,
};
