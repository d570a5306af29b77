import type { AssistantBlock } from "../../machines/conversation/entry.ts";
import { positionOf } from "../../machines/message/log.ts";
import type { Block, ProseBlock, TaskContext } from "../../machines/task/task.context.ts";
import type { TaskEvent } from "../../machines/task/task.events.ts";
import { mayHaveGrown } from "../crash.ts";
import type { Feature, Moment } from "./feature.ts";
import { answeredRequest, USAGE } from "./requests.ts";

/** The model responds with texts, and the response ends. */
export const responses: Feature = {
  name: "responses",
  parts: {
    cursor: ({ view: { context } }) => context.turn.cursor,
    "stop reason": ({ view: { context } }) => context.turn.stopReason ?? 0,
    blocks: ({ view: { context } }) => context.turn.blocks.map((block) => blockOf(block, context)),
    // The next request depends on the role of the last entry.
    "last entry": ({ view: { context } }) => context.conversation.at(-1)?.role,
  },
  events: (moment) => {
    const requestId = answeredRequest(moment);
    return requestId === undefined ? [] : responseEvents(moment, requestId);
  },
  crashes: ({ view: { recorded, observed } }) =>
    mayHaveGrown(recorded.log) && recorded.log.at(-1)?.text !== observed.appended?.text
      ? [{ keepsGrowth: true }]
      : [],
};

function responseEvents({ view: { context }, bounds, at }: Moment, requestId: number): TaskEvent[] {
  const { blocks } = context.turn;
  const index = blocks.length;
  const last = blocks.at(-1);
  const events: TaskEvent[] = [
    { type: "llm.usage", at, requestId, usage: USAGE },
    ...finishedEvents(context, at, requestId),
  ];
  if (bounds.thinks && index === 0)
    events.push({ type: "llm.thinking.delta", at, requestId, index, text: "h" });
  if ((last?.kind === "text" || last?.kind === "thinking") && !last.done) {
    events.push({ type: `llm.${last.kind}.end`, at, requestId, index: index - 1 });
    if (textOf(last, context).length < 2)
      events.push({ type: `llm.${last.kind}.delta`, at, requestId, index: index - 1, text: "b" });
  }
  if (index < bounds.blocks && last?.kind !== "text")
    events.push({ type: "llm.text.delta", at, requestId, index, text: "a" });
  return events;
}

/** The ends of a response with the current blocks. */
function finishedEvents(context: TaskContext, at: number, requestId: number): TaskEvent[] {
  const content = contentOf(context);
  if (content === undefined) return [];
  const finish = { type: "llm.finished", at, requestId, content, usage: USAGE } as const;
  return stopReasonsOf(context).map((stopReason) => ({ ...finish, stopReason }));
}

export const stopReasonsOf = ({ turn }: TaskContext) =>
  turn.calls.length > 0 ? (["tool_use"] as const) : (["end_turn", "max_tokens", "pause_turn"] as const);

/** The content of a response with the current blocks; undefined while it can't end. */
export function contentOf(context: TaskContext): readonly AssistantBlock[] | undefined {
  const content = context.turn.blocks.flatMap((block) => entriesOf(block, context));
  const last = content.at(-1)?.type;
  return last === undefined || last === "thinking" ? undefined : content;
}

function entriesOf(block: Block, context: TaskContext): readonly AssistantBlock[] {
  if (block.kind === "call") {
    const call = context.turn.calls.find(({ callId }) => callId === block.callId);
    return call === undefined ? [] : [{ type: "tool_use", id: call.toolUseId, name: call.name, input: {} }];
  }
  if (block.kind === "opaque")
    return [{ type: "opaque", block: { type: "server_tool_use", id: `s${context.request}` } }];
  const text = textOf(block, context);
  return block.kind === "text"
    ? [{ type: "text", text }]
    : [{ type: "thinking", thinking: text, signature: "s" }];
}

function blockOf(block: Block, context: TaskContext) {
  if (block.kind === "call") return 0;
  if (block.kind === "opaque") return 1;
  return [
    block.kind,
    block.done,
    block.ts !== undefined,
    block.buffered.length > 0,
    textOf(block, context).length > 1,
  ];
}

/** The text of a block received so far: the text of its message plus the buffered part. */
export function textOf(block: ProseBlock, { log }: TaskContext): string {
  const shown = block.ts === undefined ? "" : (log.at(positionOf(log, block.ts))?.text ?? "");
  return shown + block.buffered;
}
