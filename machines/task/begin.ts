import { emptyConversation, interrupted, textBlock } from "../conversation/index.ts";
import { emptyLog } from "../message/index.ts";
import type { CallIdentity, Outcome, RecordedCall, ToolCall } from "../tool-call/index.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { withFeedback } from "./results.ts";
import type { Facts, Past, TaskContext, TaskInput } from "./task.types.ts";
import { emptyTurn } from "./turn.ts";
import { NO_USAGE } from "./usage.ts";

/** What a task is before anything has happened, or what its journal remembers of it. */
export const begin = ({ input }: { input: TaskInput }): TaskContext => ({
  taskId: input.taskId,
  limits: { ...DEFAULT_LIMITS, ...input.limits },
  autoRetry: input.autoRetry ?? true,
  checkpoints: input.checkpoints ?? false,
  log: input.past?.log ?? emptyLog,
  conversation: input.past?.conversation ?? emptyConversation,
  request: undefined,
  usage: NO_USAGE,
  ask: undefined,
  turn: input.past === undefined ? emptyTurn : { ...emptyTurn, calls: callsOf(input.past) },
  queue: input.past?.queue ?? [],
  prepared: undefined,
  reopening: input.past === undefined || input.past.log.length === 0 ? undefined : reopeningOf(input.past),
  cause: undefined,
  reportTo: input.reportTo,
  ...FIRST_FACTS,
  mode: input.mode ?? FIRST_FACTS.mode,
  ...input.past?.facts,
});

/** The mode of a task that is not told another. */
export const FIRST_MODE = "code";

const FIRST_FACTS: Facts = {
  pending: [],
  background: [],
  counters: {
    mistakes: 0,
    noToolUses: 0,
    retries: 0,
    pauses: 0,
    requests: 0,
    cost: 0,
    repeated: { digest: "", times: 0 },
  },
  retryAt: 0,
  total: NO_USAGE,
  result: undefined,
  mode: FIRST_MODE,
  children: 0,
};

function reopeningOf({ log, openedAt }: Past): NonNullable<TaskContext["reopening"]> {
  const last = log.at(-1)?.ask;
  return { at: openedAt, wasCompleted: last === "completion_result" || last === "resume_completed_task" };
}

function callsOf(past: Past): readonly ToolCall[] {
  const { conversation, calls } = past;
  const answer = conversation.at(-1);
  const asked = new Set(
    answer?.role === "assistant"
      ? answer.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
      : [],
  );
  // Calls of an answer that did not come whole are gone with it; they only read.
  return calls.flatMap((call) => (asked.has(call.toolUseId) ? (callOf(call, past) ?? []) : []));
}

/** What a recorded call is now. One that had not begun is none: its result is that it was interrupted. */
function callOf(call: RecordedCall, { childEnds }: Past): ToolCall | undefined {
  const { callId, toolUseId, name, ask, row } = call;
  const identity = { callId, toolUseId, name, ask, ...(row !== undefined && { row }) };
  switch (call.phase) {
    case "asking":
      // A completion keeps its place: what the user says to it is its result.
      return ask === "completion_result" ? { ...identity, phase: "stopped", replayable: true } : undefined;
    case "running":
    case "stopped":
      return endOf(identity, call);
    case "delegated": {
      const end = childEnds?.get(callId);
      return { ...call, ...(end !== undefined && { end }) };
    }
    case "settled":
      return { ...identity, phase: "settled", outcome: call.outcome };
  }
}

type Begun = Extract<RecordedCall, { phase: "running" | "stopped" }>;

/** L12: a recorded end is the result; without one, what only reads may be called again, and the rest is uncertain. */
function endOf(identity: CallIdentity, call: Begun): ToolCall {
  const { end, replayable, feedback } = call;
  const settled = (outcome: Outcome): ToolCall => ({ ...identity, phase: "settled", outcome });
  if (end !== undefined && end !== "uncertain")
    return settled({ kind: "done", content: withFeedback(feedback, end) });
  if (replayable) return settled({ kind: "interrupted", content: [textBlock(interrupted())] });
  return { ...identity, phase: "stopped", replayable, ...(feedback !== undefined && { feedback }) };
}
