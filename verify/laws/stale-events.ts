import type { TaskEvent } from "../../machines/task/task.events.ts";
import type { ToolCall } from "../../machines/tool-call/call.ts";
import { isChangedBy } from "./changes.ts";
import type { Law, Step } from "./law.ts";

/** The actor of a request that sends these events. */
function actorOf(type: TaskEvent["type"]): string {
  if (type === "request.hooked") return "hook";
  return type === "response.judged" ? "llm" : type.slice(0, type.indexOf("."));
}

/** Whether the event comes from an active actor that was started for what the event names. */
function isFromActiveActor({ before, event }: Step): boolean {
  const { activeActors, context, logFacts } = before;
  if ("requestId" in event) {
    const { newestRequest, openRequests } = logFacts;
    const isCurrent =
      openRequests.includes(newestRequest) && context.log.at(newestRequest)?.ts === event.requestId;
    return isCurrent && activeActors.has(actorOf(event.type));
  }
  switch (event.type) {
    case "call.reviewed":
      return activeActors.has(`review:${event.callId}`);
    case "call.hooked":
    case "result.hooked":
      return activeActors.has(`hook:${event.callId}`);
    case "tool.output":
    case "tool.progress":
    case "tool.elicitation.requested":
    case "tool.backgrounded":
    case "tool.finished":
    case "tool.failed":
      return activeActors.has(`tool:${event.callId}`);
    case "timer.fired":
      return activeActors.has("timer") && isCurrentTimer(before, event.timerId);
    case "checkpoint.saved":
    case "checkpoint.skipped":
      return (
        activeActors.has("checkpoint") && context.turn.calls.some((call) => isAwaited(call, event.callId))
      );
    case "subtask.ended":
    case "subtask.unavailable":
    case "subtask.paused":
      return activeActors.has(`subtask:${event.callId}`);
    case "task.opened":
      return activeActors.has("opening");
    default:
      return true;
  }
}

/** A checkpoint is saved for an approved call that has not started. */
const isAwaited = ({ phase, callId }: ToolCall, awaited: string): boolean =>
  phase === "approved" && callId === awaited;

const isCurrentTimer = ({ context, state }: Step["before"], timerId: string): boolean => {
  const { request, retryAt, requestedAt, ask } = context;
  const id = state === "running.pacing" ? requestedAt : (request ?? (retryAt || ask?.id));
  return timerId.endsWith(`:${id}`);
};

/** L10: no event of a stopped or foreign actor changes anything. */
export const staleEvents: Law = {
  id: "L10",
  title: "no event from a stopped actor changes anything",
  violation: (step) =>
    isChangedBy(step) && !isFromActiveActor(step)
      ? `${step.event.type} of no active actor was accepted in ${step.before.state}`
      : undefined,
};
