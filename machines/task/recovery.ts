import { textBlock } from "../conversation/blocks.ts";
import { backgroundLost, interrupted, uncertain } from "../conversation/notices.ts";
import { type AskType, isAskType } from "../message/asks.ts";
import type { ClineMessage } from "../message/message.ts";
import type { CallIn, RecordedCall, ToolCall } from "../tool-call/call.ts";
import type { HookPoint } from "../tool-call/hooks.ts";
import { identityOf, settledCall } from "../tool-call/phases.ts";
import { openAsk, postAsk } from "./asks.ts";
import { reopenSubtasks } from "./background-subtasks.ts";
import { settleWithText } from "./calls.ts";
import type { Change } from "./change.ts";
import { commandStatus } from "./command.ts";
import { applyHeldPermissions } from "./held-permissions.ts";
import { recordedOutcome } from "./hook-points.ts";
import { closingAmendments } from "./interruption.ts";
import { reportLostProfiles } from "./model.ts";
import { lostProfiles, replaceLostProfiles } from "./profile.ts";
import { settleEndedSubtasks } from "./subtask.ts";
import type { ReopenedTask } from "./task.context.ts";
import { callsIn } from "./turn.ts";

/** The calls of the recorded turn, as they continue. Calls of an incomplete response are dropped: they only read. */
export function restoreCalls(reopened: ReopenedTask, hooks: readonly HookPoint[]): readonly ToolCall[] {
  const response = reopened.conversation.at(-1);
  const ids = new Set(
    response?.role === "assistant"
      ? response.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
      : [],
  );
  return reopened.calls.flatMap((call) =>
    ids.has(call.toolUseId) ? (restoreCall(call, reopened, hooks) ?? []) : [],
  );
}

/** `undefined` for a call that was not started: its result is that it was interrupted. */
function restoreCall(
  call: RecordedCall,
  { childEnds }: ReopenedTask,
  hooks: readonly HookPoint[],
): ToolCall | undefined {
  switch (call.phase) {
    case "asking":
      // The call of a completion stays open: feedback is its result.
      if (call.ask !== "completion_result") return undefined;
      return { ...identityOf(call), phase: "stopped", replayable: true };
    case "running":
    case "stopped":
      return restoreStartedCall(call, hooks);
    case "delegated": {
      const end = childEnds?.get(call.callId);
      return { ...call, ...(end !== undefined && { end }) };
    }
    case "ended":
    case "settled":
      return settledCall(call, { outcome: call.outcome });
  }
}

type StartedCall = Extract<RecordedCall, { phase: "running" | "stopped" }>;

/** A recorded result counts. Without one, a replayable call is interrupted and any other is uncertain (L12). */
function restoreStartedCall(call: StartedCall, hooks: readonly HookPoint[]): ToolCall {
  const { end, replayable, feedback } = call;
  if (end !== undefined && end !== "uncertain")
    return settledCall(call, { outcome: recordedOutcome(call, hooks, end) });
  if (replayable)
    return settledCall(call, { outcome: { kind: "interrupted", content: [textBlock(interrupted())] } });
  return { ...identityOf(call), phase: "stopped", replayable, ...(feedback !== undefined && { feedback }) };
}

/**
 * Settles a task that is opened from its journal: closes what the end of its process left open, reports what is
 * uncertain, and asks whether to resume (L11, L12). An ask to resume that is already open stays.
 */
export function recover(change: Change): void {
  const { reopening, log, turn } = change.context;
  if (reopening === undefined) return;
  change.set({ reopening: undefined });
  reopenSubtasks(change, reopening.childEnds);
  // The journal keeps the calls of an incomplete response until the turn ends.
  if (turn.calls.length === 0) change.emit({ type: "turn.ended" });
  const lost = lostProfiles(change.context);
  replaceLostProfiles(change);
  // The ask that held it ended with the process.
  applyHeldPermissions(change);
  const last = log.at(-1);
  const ask = last === undefined ? undefined : openResumeAsk(last);
  // What is uncertain or lost is reported by a message, which can't follow an open ask (L8).
  if (last !== undefined && ask !== undefined && !isUncertain(change) && lost.length === 0) {
    openAsk(change, { id: last.ts, ask }, last.text ?? "");
    return;
  }
  for (const { ts, patch } of closingAmendments(log)) change.amend(ts, patch);
  settleEndedSubtasks(change);
  reportUncertainty(change);
  reportLostProfiles(change, lost);
  postAsk(change, reopening.wasCompleted ? "resume_completed_task" : "resume_task", "");
}

/** The message's ask, if it is an open ask to resume. */
function openResumeAsk({ ask, closing }: ClineMessage): AskType | undefined {
  if (closing !== undefined || !isAskType(ask)) return undefined;
  return ask === "resume_task" || ask === "resume_completed_task" ? ask : undefined;
}

/** Started calls without a recorded result. An offered completion has no effect. */
const uncertainCalls = ({ context }: Change): readonly CallIn<"stopped">[] =>
  callsIn(context, "stopped").filter(({ ask }) => ask !== "completion_result");

const isUncertain = (change: Change): boolean =>
  change.context.background.length > 0 || uncertainCalls(change).length > 0;

/** Reports uncertain calls to the user now, and to the model with the next request (L12). */
function reportUncertainty(change: Change): void {
  for (const call of uncertainCalls(change)) {
    const text = uncertain(call.name, call.ask === "command");
    settleWithText(change, call, "uncertain", text);
    change.append({ type: "say", say: "error", text, callId: call.callId });
  }
  const { background, pending, log } = change.context;
  if (background.length === 0) return;
  const lost = background.map(({ callId, command }) => backgroundLost(command, commandStatus(log, callId)));
  for (const text of lost) change.append({ type: "say", say: "error", text });
  change.set({ background: [], pending: [...pending, ...lost.map((text) => textBlock(text))] });
}
