import type { Block, TaskContext } from "../machines/task/index.ts";
import type { ToolCall } from "../machines/tool-call/index.ts";
import { textOf } from "./block-text.ts";
import type { Spent } from "./environment.ts";
import type { View } from "./laws/index.ts";

/**
 * What two views must share to count as one state of the exploration. Texts are reduced to whether there
 * is one, counters are kept (the bounds keep them small), of the log its last row, of the conversation who
 * spoke last. Times and ids are left out.
 */
export function abstractionOf({ state, context, alive, memory }: View, spent: Spent): string {
  const last = context.log.at(-1);
  return JSON.stringify([
    state,
    last === undefined ? 0 : [last.ask ?? last.say, last.partial ?? 0, last.closing ?? 0],
    context.ask === undefined ? 0 : [context.ask.ask, context.ask.id === last?.ts],
    context.request === undefined ? 0 : 1,
    context.turn.cursor,
    context.turn.stopReason ?? 0,
    context.turn.checkpoint ?? 0,
    context.turn.blocks.map((block) => blockOf(block, context)),
    context.turn.calls.map((call) => callOf(call)),
    context.queue.length,
    context.pending.length > 0,
    context.background.length,
    countersOf(context),
    context.prepared === undefined ? 0 : 1,
    context.retryAt > 0,
    memory.calls.map(({ phase }) => phase),
    context.conversation.at(-1)?.role ?? 0,
    spent.interruptions,
    spent.queued,
    spent.requests,
    spent.crashes,
    [...alive].map((id) => id.split(":")[0]),
  ]);
}

function blockOf(block: Block, context: TaskContext) {
  if (block.kind === "call") return 0;
  return [
    block.kind,
    block.done,
    block.row !== undefined,
    block.held.length > 0,
    textOf(block, context).length > 1,
  ];
}

function callOf(call: ToolCall) {
  const shown = call.row !== undefined;
  switch (call.phase) {
    case "planned":
    case "deciding":
      return [call.name, call.phase, shown, call.preview.length > 0];
    case "decided":
    case "asking":
    case "approved":
    case "running":
      return [call.name, call.phase, shown, call.review.verdict.kind];
    case "stopped":
      return [call.name, call.phase];
    case "delegated":
      return [call.name, call.phase, call.end?.kind ?? 0];
    case "settled":
      return [call.name, call.phase, shown, call.outcome.kind, call.notice !== undefined];
  }
}

/** Requests count only where their limit is near: without one, every failed attempt would be a state of its own. */
function countersOf({ counters, limits }: TaskContext) {
  const requests = limits.requests < 10 ? counters.requests : 0;
  return [counters.mistakes, counters.noToolUses, counters.retries, counters.pauses, requests];
}

/** What {@link abstractionOf} keeps, by name, in its order. */
const PARTS = [
  "state",
  "last row",
  "ask",
  "request",
  "cursor",
  "stop reason",
  "checkpoint",
  "blocks",
  "calls",
  "queue",
  "pending words",
  "background",
  "counters",
  "prepared",
  "retry",
  "remembered calls",
  "last speaker",
  "interruptions spent",
  "queue spent",
  "requests spent",
  "crashes spent",
  "actors",
] as const;

/** In which parts two abstractions differ. */
export function differsIn(one: string, other: string): readonly string[] {
  if (one === other) return [];
  const [a, b] = [one, other].map((text): readonly unknown[] => JSON.parse(text));
  return PARTS.filter((_, at) => JSON.stringify(a?.[at]) !== JSON.stringify(b?.[at]));
}
