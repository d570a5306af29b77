import { ASKS, isAskType } from "../../../machines/message/asks.ts";
import { endErrorOf } from "../../../machines/message/end-error.ts";
import type { Log } from "../../../machines/message/log.ts";
import { topState } from "../../../machines/message/states.ts";
import { modelName } from "../../../machines/task/model-name.ts";
import { selectedIntent } from "../../../machines/tool-call/intent.ts";
import { type OpenAskInfo, permissionsInfo, type TaskInfo } from "../../../wire/http/api.ts";
import { isCancel, restReason } from "../../../wire/rest-reason.ts";
import { stoppedAsk } from "../../../wire/stopped-ask.ts";
import type { TraceReader } from "../../trace/moment.ts";
import { timeOf } from "../model/event-text.ts";

/** The info of a recorded task, from the end of its trace, or at an earlier event. */
export function taskInfoOf(trace: TraceReader, at = trace.length - 1): TaskInfo {
  const { memory, derived, state } = trace.moment(at);
  const { record: first } = trace.event(0);
  const { total, mode, permissions, intent, counters, model } = memory.facts;
  const title = first.kind === "header" ? first.title : undefined;
  const rest = restReason(state, memory.log.at(-1));
  const error = rest === undefined ? undefined : endErrorOf(memory.log);
  return {
    id: trace.taskId,
    title: title ?? memory.log.at(0)?.text ?? trace.taskId,
    state: derived.state,
    path: state,
    ...(rest !== undefined && { rest }),
    ...(error !== undefined && { error: { ...error } }),
    ...stoppedIn(memory.log),
    ...(isCancelled(trace, at) && { isCancelled: true }),
    ...(counters !== undefined && { requests: counters.requests }),
    ...(mode !== undefined && { mode }),
    ...(model && { model: modelName(model) }),
    ...(intent && { intent: selectedIntent(intent) ?? null }),
    ...(permissions !== undefined && { permissions: permissionsInfo(permissions) }),
    cost: total === undefined ? 0 : total.cost,
    tokensIn: total?.tokensIn ?? 0,
    tokensOut: total?.tokensOut ?? 0,
    messages: memory.log.length,
    createdAt: timeOf(trace.event(0)),
    updatedAt: timeOf(trace.event(at)),
    ...(first.kind === "header" && first.workspace !== undefined && { workspace: first.workspace }),
    ...(first.kind === "header" && first.parent !== undefined && { parentId: first.parent.taskId }),
    ...(first.kind === "header" && first.transcript !== undefined && { transcript: first.transcript }),
    isOpen: false,
    asks: openAsks(trace, at),
  };
}

function stoppedIn(log: Log): Pick<TaskInfo, "stoppedAsk"> {
  const { ask, text } = stoppedAsk(log) ?? {};
  return ask === undefined ? {} : { stoppedAsk: { kind: ask, text: text ?? "" } };
}

/** Whether an event by which a person ends the work of a task brought it to rest. */
function isCancelled(trace: TraceReader, newest: number): boolean {
  for (let at = newest; at > 0; at -= 1) {
    const { record } = trace.event(at);
    if (record.kind !== "commit") continue;
    const state = topState(record.after);
    if (topState(record.before) !== state) return isCancel(state, record.cause);
  }
  return false;
}

/** The ask that is open at the end of a trace: at most one (L8). */
export function openAsks(
  trace: TraceReader,
  at = trace.length - 1,
): readonly OpenAskInfo[] & TaskInfo["asks"] {
  const message = trace.moment(at).memory.log.at(-1);
  if (
    message?.type !== "ask" ||
    message.partial === true ||
    message.closing !== undefined ||
    !isAskType(message.ask)
  )
    return [];
  const handling = ASKS[message.ask];
  return [
    {
      askId: message.ts,
      kind: message.ask,
      text: message.text ?? "",
      ...(message.callId !== undefined && { callId: message.callId }),
      ...(message.reason !== undefined && { reason: message.reason }),
      accepts: (["yes", "no", "text"] as const).filter((kind) => handling[kind] === "accepted"),
    },
  ];
}
