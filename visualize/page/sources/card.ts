import { ASKS, isAskType } from "../../../machines/index.ts";
import type { TraceReader } from "../../../trace/index.ts";
import type { OpenAskCard, TaskCard } from "../../../wire/index.ts";
import { timeOf } from "../model/event-words.ts";

/** The card of a recorded task, as its trace tells it at the end. */
export function cardOf(trace: TraceReader): TaskCard {
  const { memory, derived, state } = trace.moment(trace.length - 1);
  const { record: first } = trace.event(0);
  const { total, mode } = memory.facts;
  const title = first.kind === "header" ? first.title : undefined;
  return {
    id: trace.taskId,
    title: title ?? memory.log.at(0)?.text ?? trace.taskId,
    state: derived.state,
    path: state,
    ...(mode !== undefined && { mode }),
    cost: total?.cost ?? 0,
    tokensIn: total?.tokensIn ?? 0,
    tokensOut: total?.tokensOut ?? 0,
    messages: memory.log.length,
    createdAt: timeOf(trace.event(0)),
    updatedAt: timeOf(trace.event(trace.length - 1)),
    ...(first.kind === "header" && first.workspace !== undefined && { workspace: first.workspace }),
    ...(first.kind === "header" && first.parent !== undefined && { parentId: first.parent.taskId }),
    isOpen: false,
    asks: openAsks(trace),
  };
}

/** The ask that is open at the end of a trace: at most one (L8). */
export function openAsks(
  trace: TraceReader,
  at = trace.length - 1,
): readonly OpenAskCard[] & TaskCard["asks"] {
  const row = trace.moment(at).memory.log.at(-1);
  if (row?.type !== "ask" || row.partial === true || row.closing !== undefined || !isAskType(row.ask))
    return [];
  const fits = ASKS[row.ask];
  return [
    {
      askId: row.ts,
      kind: row.ask,
      text: row.text ?? "",
      ...(row.callId !== undefined && { callId: row.callId }),
      accepts: (["yes", "no", "text"] as const).filter((kind) => fits[kind] === "taken"),
    },
  ];
}
